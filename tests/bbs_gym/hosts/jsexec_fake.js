// A jsexec for tests, under node: `node jsexec_fake.js WORLD.json -n SCRIPT`. It runs a script of ours against a fake
// of the objects of Synchronet that they use. The world is read from a file, and written back when the script ends.
//
// The fake keeps to what a real one does where our scripts depend on it: names of users compare case-free, passwords
// are stored in upper case, the JSON service refuses to write what another has locked, an unlocked write without a lock
// is a fault, and `load` runs a file in the same global scope.

"use strict";

const fs = require("fs");
const path = require("path");
const vm = require("vm");

const [worldFile, , scriptFile] = process.argv.slice(2);
const world = JSON.parse(fs.readFileSync(worldFile, "utf8"));
world.users = world.users || [];
world.journal = [];

const DEFINITIONS = {
    "sbbsdefs.js": {
        USER_DELETED: 1 << 0, USER_COLOR: 1 << 3, USER_PAUSE: 1 << 5, USER_SPIN: 1 << 6, USER_ASK_NSCAN: 1 << 14,
        USER_ASK_SSCAN: 1 << 16, USER_AUTOTERM: 1 << 17, UFLAG_H: 1 << 7, UFLAG_L: 1 << 11, UFLAG_T: 1 << 19,
        MSG_DELETE: 1 << 8
    },
    "nodedefs.js": { NODE_INUSE: 3, NODE_QUIET: 4, NODE_XTRN: 8 }
};

const stdin = fs.readFileSync(0, "latin1");
const rootFolder = world.root + "/";

function stored(user, name) {
    return {
        enumerable: true,
        get: () => user[name],
        set: (value) => {
            world.journal.push(`${user.alias}.${name}`);
            user[name] = name === "password" ? String(value).toUpperCase() : value;
        }
    };
}

function User(number) {
    const user = world.users[number - 1] || { number, alias: "" };
    this.number = number;
    const fields = [
        "alias", "name", "handle", "gender", "birthdate", "phone", "netmail", "address", "location", "zipcode",
        "settings", "curxtrn"
    ];
    fields.forEach((name) => Object.defineProperty(this, name, stored(user, name)));
    this.security = {};
    ["password", "level", "exemptions"].forEach((name) => Object.defineProperty(this.security, name, stored(user, name)));
}

const system = {
    data_dir: rootFolder + "data/",
    exec_dir: rootFolder + "exec/",
    get lastuser() {
        return world.users.length;
    },
    get node_list() {
        return world.nodes || [];
    },
    matchuser(name, sysopAlias) {
        if (sysopAlias !== false && /^sysop$/i.test(name)) {
            return 1;
        }
        return world.users.findIndex((user) => user.alias.toUpperCase() === name.toUpperCase()) + 1;
    },
    new_user(alias) {
        if (world.full) {
            return -1;
        }
        world.journal.push(`new ${alias}`);
        const number = world.users.length + 1;
        world.users.push({ number, alias, level: 10, exemptions: 0, settings: (1 << 14) | (1 << 5), password: "" });
        return new User(number);
    },
    trashcan(kind, text) {
        return ((world.trashcan || {})[kind] || []).includes(text);
    }
};

class JSONClient {
    constructor(host, port) {
        if (!world.tw2 || port !== 10088) {
            throw "error connecting to server";
        }
        this.held = new Set();
    }

    _walk(location) {
        return location.split(".").reduce((at, key) => (at === undefined || at === null ? undefined : at[key]), world.tw2);
    }

    _checkScope(scope) {
        if (scope !== "tw2") {
            throw "no such scope " + scope;
        }
    }

    read(scope, location, lock) {
        this._checkScope(scope);
        const value = this._walk(location);
        return value === undefined ? undefined : JSON.parse(JSON.stringify(value), (key, one) => (one === null ? undefined : one));
    }

    write(scope, location, value, lock) {
        this._checkScope(scope);
        const guarded = lock === 2 || [...this.held].some((held) => location === held || location.startsWith(held + "."));
        if (!guarded) {
            throw "Record not locked";
        }
        world.journal.push(`write ${location}`);
        if ((world.lost || []).includes(location)) {
            return;
        }
        const parts = location.split(".");
        const last = parts.pop();
        const holder = parts.length ? this._walk(parts.join(".")) : world.tw2;
        holder[last] = JSON.parse(JSON.stringify(value));
    }

    push(scope, location, value, lock) {
        const list = this.read(scope, location) || [];
        list.push(value);
        this.write(scope, location, list, lock);
    }

    lock(scope, location, kind) {
        this._checkScope(scope);
        if ((world.locked || []).includes(location)) {
            throw "timed out waiting for server response";
        }
        world.journal.push(`lock ${location}`);
        this.held.add(location);
        if (world.enters_at_lock) { // somebody enters between our look and our lock
            world.nodes = world.enters_at_lock;
        }
    }

    unlock(scope, location) {
        world.journal.push(`unlock ${location}`);
        this.held.delete(location);
    }

    disconnect() {
        world.journal.push("disconnect");
        return true;
    }
}

class MsgBase {
    constructor(code) {
        this.messages = (world.messages || {})[code];
    }

    open() {
        return this.messages !== undefined;
    }

    close() {}

    get_all_msg_headers() {
        return Object.fromEntries(this.messages.map((message) => [message.number, message]));
    }

    get_msg_body(number) {
        return this.messages.find((message) => message.number === number).body;
    }
}

const sandbox = {
    system, User, JSONClient, MsgBase,
    msg_area: world.msg_area || { grp_list: [] },
    uifc: {},
    argv: [],
    readln: (length) => stdin.split("\n")[0].slice(0, length),
    writeln: (...words) => process.stdout.write(words.join("") + "\n", "latin1"),
    log: () => {},
    LOG_INFO: 6,
    file_exists: (name) => fs.existsSync(name),
    file_touch: (name) => {
        try {
            fs.closeSync(fs.openSync(name, "a"));
            return true;
        } catch (fault) {
            return false;
        }
    },
    strftime: (format) => {
        if (format !== "%Y:%m:%d") {
            throw new Error("the fake knows one format");
        }
        return world.today;
    }
};
sandbox.js = { exec_dir: path.dirname(scriptFile) + "/", global: sandbox };
vm.createContext(sandbox);
sandbox.js.global = vm.runInContext("this", sandbox);
sandbox.load = (name) => {
    if (DEFINITIONS[name]) {
        const kept = Object.entries(DEFINITIONS[name]).filter(([key]) => !(world.undefined_constants || []).includes(key));
        Object.assign(sandbox.js.global, Object.fromEntries(kept));
    } else if (name !== "json-client.js") {
        vm.runInContext(fs.readFileSync(name, "latin1"), sandbox, { filename: name });
    }
};

try {
    vm.runInContext(fs.readFileSync(scriptFile, "latin1"), sandbox, { filename: scriptFile });
} catch (fault) {
    process.stderr.write(`!JavaScript ${fault && fault.stack ? fault.stack : fault}\n`);
    process.exitCode = 1;
} finally {
    fs.writeFileSync(worldFile, JSON.stringify(world));
}
