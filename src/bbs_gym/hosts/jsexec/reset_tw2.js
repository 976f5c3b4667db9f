// Make the world of Trade Wars 2 anew, as its own set-up program does, without the dialogs. Nobody may be in the door.
// {turns_per_day} -> {players, sectors, ports, turns_per_day}; turns_per_day null leaves it as it is.

load(js.exec_dir + "conversation.js");
load(js.exec_dir + "tw2_service.js");

// What the files of the door expect to find; they belong to the program that loads them.
var startup_path = system.exec_dir + "../xtrn/tw2/";
var LOCK_READ = BBS_GYM_LOCK_READ;
var LOCK_WRITE = BBS_GYM_LOCK_WRITE;
var db;
var Settings;
var player = null;
var sector = null;
var Commodities = [
    { name: "Ore", price: 10 },
    { name: "Organics", price: 20 },
    { name: "Equipment", price: 35 }
];

function loadDoor(names) {
    names.forEach(function (name) {
        load(startup_path + name);
    });
}

function prepare() {
    if (!file_exists(startup_path + "tw2.js")) {
        bbsGymRefuse("Trade Wars 2 is not installed: there is no " + startup_path + "tw2.js");
    }
    delete js.global.uifc; // or the door's files draw windows
    if (typeof user === "undefined") {
        js.global.user = undefined; // the door's files ask whether there is one
    }
    loadDoor(["filename.js", "gamesettings.js", "sector_map.js", "ports_map.js"]);
    Settings = new GameSettings();
    if (db === undefined) {
        bbsGymNoService();
    }
}

function checkEmpty() {
    var players = (db.read(BBS_GYM_TW2_SCOPE, "players", LOCK_READ) || []).map(function (one, at) {
        return { record: at, player: one || {} };
    });
    var inside = bbsGymInside(players);
    if (inside.length) {
        var names = inside.map(function (one) {
            return one.alias + " (node " + one.node + ")";
        });
        bbsGymRefuse("in the door are " + names.join(", ") + ": have them leave before the reset");
    }
}

function rebuild(turnsPerDay) {
    if (turnsPerDay) {
        Settings.TurnsPerDay = turnsPerDay;
    }
    Settings.MaintLastRan = strftime("%Y:%m:%d"); // or the first who enters moves the Cabal
    Settings.save();
    loadDoor([
        "ports.js", "planets.js", "teams.js", "sectors.js", "maint.js",
        "players.js", "messages.js", "computer.js", "input.js"
    ]);
    ResetAllPlayers();
    ResetAllPlanets();
    ResetAllMessages();
    InitializeTeams();
    InitializeSectors();
    InitializePorts();
    InitializeCabal();
    db.write(Settings.DB, "twopeng", [], LOCK_WRITE); // without it the door says that it was never set up
}

function countOf(what) {
    var count = db.read(Settings.DB, what + ".length", LOCK_READ);
    if (!(count > 1)) {
        throw new Error("after the reset there are no " + what);
    }
    return count - 1; // they count from 1
}

bbsGymRun(function (request) {
    prepare();
    try {
        checkEmpty();
        rebuild(request.turns_per_day);
        return {
            players: countOf("players"),
            sectors: countOf("sectors"),
            ports: countOf("ports"),
            turns_per_day: Settings.TurnsPerDay
        };
    } finally {
        db.disconnect();
    }
});
