// The world of Trade Wars 2, which the JSON service of a running BBS keeps, and who is in the door just now.

load("sbbsdefs.js");
load("nodedefs.js");
load("json-client.js");

var BBS_GYM_TW2_SCOPE = "tw2";
var BBS_GYM_TW2_DOOR = "TW2";
var BBS_GYM_LOCK_READ = 1;
var BBS_GYM_LOCK_WRITE = 2;

function bbsGymNoService() {
    bbsGymRefuse(
        "the JSON service with the scope tw2 does not answer: have the BBS run, with [Services] AutoStart=true in " +
            "sbbs.ini, the JSON service enabled, and Trade Wars 2 installed"
    );
}

// A connection to the service. Its own answers are waited for 30 s, then it throws.
function bbsGymTw2(request) {
    try {
        return new JSONClient(request.server || "localhost", request.port || 10088);
    } catch (fault) {
        return bbsGymNoService();
    }
}

function bbsGymRead(client, location) {
    return client.read(BBS_GYM_TW2_SCOPE, location, BBS_GYM_LOCK_READ);
}

// The players: [{record, player}], free places and half-made players left out. Counted from 1, as the door does.
function bbsGymPlayers(client) {
    var all = bbsGymRead(client, "players");
    var found = [];
    if (!all || !all.length) {
        bbsGymRefuse("Trade Wars 2 was never set up: reset it once");
    }
    for (var record = 1; record < all.length; record++) {
        if (all[record] && all[record].UserNumber > 0) {
            found.push({ record: record, player: all[record] });
        }
    }
    return found;
}

// Whether a node's user is in the door. A record says Online for ever after a lost line, a node says so only while the
// user is on; and a user who chats within the door is shown as chatting. So it takes a node, and one of the two.
function bbsGymIsInside(node, user, player) {
    var running = node.action === bbsGymConstant("NODE_XTRN") && node.aux !== 0;
    return (running && String(user.curxtrn).toUpperCase() === BBS_GYM_TW2_DOOR) || Boolean(player && player.Online);
}

// Who is in the door: [{node, number, alias}].
function bbsGymInside(players) {
    var inside = [];
    for (var at = 0; at < system.node_list.length; at++) {
        var node = system.node_list[at];
        var used = node.status === bbsGymConstant("NODE_INUSE") || node.status === bbsGymConstant("NODE_QUIET");
        if (!used || node.useron < 1) {
            continue;
        }
        var user = new User(node.useron);
        var player;
        for (var each = 0; each < players.length; each++) {
            player = players[each].player.UserNumber === node.useron ? players[each].player : player;
        }
        if (bbsGymIsInside(node, user, player)) {
            inside.push({ node: at + 1, number: node.useron, alias: String(user.alias) });
        }
        player = undefined;
    }
    return inside;
}
