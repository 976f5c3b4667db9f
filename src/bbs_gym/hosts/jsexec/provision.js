// Make or update accounts. {accounts: [{alias, password}], dry_run} -> {accounts: [{alias, number, change, detail}]}
// A second time it changes nothing. No password is printed, and none is in the arguments.

load("sbbsdefs.js");
load(js.exec_dir + "conversation.js");

var AGENT_LEVEL = 50; // what Synchronet gives to a validated user: doors, no menu of the sysop
var SYSOP_LEVEL = 90; // an account of that level is no agent's

// Without these a first logon asks for them. What is there already stays.
function profileOf(alias) {
    return {
        name: alias,
        handle: alias.substr(0, 8),
        gender: "M",
        birthdate: "01/01/1990", // the same in either order of day and month
        phone: "000-000-0000",
        address: "1 Loopback Road",
        location: "Localhost, Nowhere",
        zipcode: "00000"
    };
}

function settingsOf(current) {
    var off = ["USER_ASK_NSCAN", "USER_ASK_SSCAN", "USER_PAUSE", "USER_SPIN"];
    var on = ["USER_AUTOTERM", "USER_COLOR"];
    var settings = current | 0;
    off.forEach(function (name) {
        settings &= ~bbsGymConstant(name);
    });
    on.forEach(function (name) {
        settings |= bbsGymConstant(name);
    });
    return settings | 0;
}

// L: any number of logons a day. T: no limit of time. H: no hang-up for silence.
function exemptionsOf(current) {
    return current | bbsGymConstant("UFLAG_L") | bbsGymConstant("UFLAG_T") | bbsGymConstant("UFLAG_H") | 0;
}

// A door that a new player left too early locks him out for ever, unless this file is there.
function doorFile(number) {
    return system.data_dir + "user/" + ("0000" + number).slice(-4) + ".tw2";
}

function check(account, user) {
    if (user === null) {
        if (system.trashcan("name", account.alias)) {
            bbsGymRefuse(account.alias + ": this BBS takes no such name (text/name.can): choose another alias");
        }
        if (!account.password) {
            bbsGymRefuse(account.alias + ": a new account needs a password: name its variable or file in the registry");
        }
    } else if (user.security.level >= SYSOP_LEVEL) {
        bbsGymRefuse(account.alias + ": this account is a sysop's: choose another alias");
    }
    if (account.password && system.trashcan("password", account.password)) {
        bbsGymRefuse(account.alias + ": this BBS takes no such password (text/password.can): choose another");
    }
}

// What is to be done: [{field, apply}]; the user is an object that shows the fields, existing or not.
function changesOf(account, user) {
    var changes = [];
    function set(field, holder, name, value, same) {
        if (!same) {
            changes.push({
                field: field,
                apply: function (made) {
                    (holder ? made[holder] : made)[name] = value;
                }
            });
        }
    }
    var profile = profileOf(account.alias);
    if (account.password) {
        var kept = String(user.security.password || "");
        set("password", "security", "password", account.password, kept.toUpperCase() === account.password.toUpperCase());
    }
    Object.keys(profile).forEach(function (name) {
        set(name, null, name, profile[name], Boolean(user[name]));
    });
    var netmail = String(user.netmail || "");
    set("netmail", null, "netmail", account.alias, netmail !== "" && netmail.indexOf("@") < 0);
    set("level", "security", "level", AGENT_LEVEL, user.security.level === AGENT_LEVEL);
    var settings = settingsOf(user.settings);
    set("settings", null, "settings", settings, (user.settings | 0) === settings);
    var exemptions = exemptionsOf(user.security.exemptions);
    set("exemptions", "security", "exemptions", exemptions, (user.security.exemptions | 0) === exemptions);
    return changes;
}

function create(alias) {
    var made = system.new_user(alias);
    if (made === null || typeof made !== "object") {
        throw new Error(alias + ": Synchronet made no user (" + made + ")");
    }
    return made;
}

function confirmPassword(account, number) {
    var kept = String(new User(number).security.password);
    if (account.password && kept.toUpperCase() !== account.password.toUpperCase()) {
        throw new Error(account.alias + ": Synchronet did not keep the password as it is: take a shorter, plainer one");
    }
}

function provision(account, found, dryRun) {
    var fresh = { security: { level: 0, exemptions: 0 }, settings: 0 };
    var changes = changesOf(account, found || fresh);
    var number = found ? found.number : null;
    var touch = found === null || !file_exists(doorFile(number));
    if (!dryRun) {
        if (found === null) {
            var made = create(account.alias);
            changes = changesOf(account, made);
            changes.forEach(function (change) {
                change.apply(made);
            });
            number = made.number;
        } else {
            changes.forEach(function (change) {
                change.apply(found);
            });
        }
        if (touch && !file_touch(doorFile(number))) {
            throw new Error(account.alias + ": " + doorFile(number) + " can't be written");
        }
        confirmPassword(account, number);
    }
    var fields = changes.map(function (change) {
        return change.field;
    });
    if (touch) {
        fields.push("tw2 file");
    }
    return {
        alias: account.alias,
        number: number,
        change: found === null ? "created" : fields.length ? "updated" : "unchanged",
        detail: found === null ? [] : fields
    };
}

bbsGymRun(function (request) {
    var found = request.accounts.map(function (account) {
        var number = system.matchuser(account.alias, false); // "sysop" is no other name of user 1 here
        var user = number > 0 ? new User(number) : null;
        check(account, user);
        return user;
    });
    return {
        accounts: request.accounts.map(function (account, at) {
            return provision(account, found[at], Boolean(request.dry_run));
        })
    };
});
