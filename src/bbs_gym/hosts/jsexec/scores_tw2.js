// What each player of Trade Wars 2 has, now. {} -> {players: [{record, user, alias, fighters, deployed, ...}]}
// The text that the door itself shows is older, ends after ten, and has the best last.

load(js.exec_dir + "conversation.js");
load(js.exec_dir + "tw2_service.js");

function deployedFighters(sectors) {
    var deployed = {};
    for (var at = 1; at < sectors.length; at++) {
        var sector = sectors[at];
        if (sector && sector.Fighters > 0 && sector.FighterOwner > 0) {
            deployed[sector.FighterOwner] = (deployed[sector.FighterOwner] || 0) + sector.Fighters;
        }
    }
    return deployed;
}

bbsGymRun(function (request) {
    var client = bbsGymTw2(request);
    try {
        var players = bbsGymPlayers(client);
        var deployed = deployedFighters(bbsGymRead(client, "sectors") || []);
        return {
            players: players.map(function (one) {
                var player = one.player;
                return {
                    record: one.record,
                    user: player.UserNumber,
                    alias: String(player.Alias),
                    fighters: player.Fighters || 0,
                    deployed: deployed[one.record] || 0,
                    holds: player.Holds || 0,
                    credits: player.Credits || 0,
                    cargo: player.Commodities || [0, 0, 0],
                    points: player.Points || 0,
                    turns: player.TurnsLeft || 0,
                    sector: player.Sector || 0,
                    team: player.TeamNumber || 0,
                    killed: Boolean(player.KilledBy)
                };
            })
        };
    } finally {
        client.disconnect();
    }
});
