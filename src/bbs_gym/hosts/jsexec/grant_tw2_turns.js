// Give one player of Trade Wars 2 more turns of today. {player, turns} -> {alias, turns}
// Only while the player is out: inside, the door's own copy is written over it at the next move.

load(js.exec_dir + "conversation.js");
load(js.exec_dir + "tw2_service.js");

function recordOf(players, name) {
    var wanted = name.toUpperCase();
    for (var at = 0; at < players.length; at++) {
        if (String(players[at].player.Alias).toUpperCase() === wanted) {
            return players[at].record;
        }
    }
    return bbsGymRefuse("no player of Trade Wars 2 is called " + name + ": the player must have been in the door once");
}

function checkOut(player, record) {
    var inside = bbsGymInside([{ record: record, player: player }]).filter(function (one) {
        return one.number === player.UserNumber;
    });
    if (inside.length) {
        bbsGymRefuse(
            player.Alias + " is in the door, on node " + inside[0].node + ": let the player leave first; turns that are " +
                "given to one inside are lost at the next move"
        );
    }
    if (player.KilledBy) {
        bbsGymRefuse(player.Alias + " was killed: the next entry makes a new ship with the turns of a new day");
    }
}

// The first entry of a day sets the turns anew. So for who was not on today, that is done here, and the date with it.
function grant(player, turns, settings, today) {
    if (player.LastOnDay !== today) {
        player.LastOnDay = today;
        player.TurnsLeft = settings.TurnsPerDay;
        player.TimeToday = 0;
    }
    player.TurnsLeft += turns;
}

bbsGymRun(function (request) {
    var client = bbsGymTw2(request);
    try {
        var record = recordOf(bbsGymPlayers(client), request.player);
        var settings = bbsGymRead(client, "settings");
        var location = "players." + record;
        client.lock(BBS_GYM_TW2_SCOPE, location, BBS_GYM_LOCK_WRITE);
        try {
            var player = client.read(BBS_GYM_TW2_SCOPE, location);
            checkOut(player, record); // behind the lock: who enters from here on waits for it
            grant(player, request.turns, settings, strftime("%Y:%m:%d"));
            client.write(BBS_GYM_TW2_SCOPE, location, player);
            var kept = client.read(BBS_GYM_TW2_SCOPE, location);
            if (kept.TurnsLeft !== player.TurnsLeft) {
                throw new Error("the JSON service did not keep the turns");
            }
            return { alias: String(player.Alias), turns: player.TurnsLeft };
        } finally {
            client.unlock(BBS_GYM_TW2_SCOPE, location);
        }
    } finally {
        client.disconnect();
    }
});
