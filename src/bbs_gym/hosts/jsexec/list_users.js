// The accounts of the BBS. {} -> {users: [{number, alias, level}]}, deleted ones left out.

load("sbbsdefs.js");
load(js.exec_dir + "conversation.js");

bbsGymRun(function () {
    var users = [];
    for (var number = 1; number <= system.lastuser; number++) {
        var user = new User(number);
        if (user.alias && !(user.settings & bbsGymConstant("USER_DELETED"))) {
            users.push({ number: number, alias: String(user.alias), level: user.security.level });
        }
    }
    return { users: users };
});
