// How our scripts talk with the gym: one request, a line of JSON on stdin; one answer, a marked line of JSON on stdout.
// Whatever else is printed (by the files of a door, say) is no answer. JavaScript of 2011: jsexec knows no other.

var BBS_GYM_MARK = "bbs-gym: ";
var BBS_GYM_REQUEST_BYTES = 1048576; // a roster of thousands of agents

// End the script: the world is such that it must not be done. The text is for people, and says what to do.
function bbsGymRefuse(text) {
    throw { bbsGymRefused: text };
}

function bbsGymAscii(json) {
    return json.replace(/[^\x20-\x7e]/g, function (character) {
        return "\\u" + ("0000" + character.charCodeAt(0).toString(16)).slice(-4);
    });
}

function bbsGymFault(fault) {
    if (fault && fault.bbsGymRefused) {
        return { ok: false, refused: true, error: String(fault.bbsGymRefused) };
    }
    var where = fault && fault.lineNumber ? " (line " + fault.lineNumber + ")" : "";
    return { ok: false, refused: false, error: String(fault && fault.message ? fault.message : fault) + where };
}

// Read the request, do the work, answer with what it returns.
function bbsGymRun(work) {
    var answer;
    try {
        answer = { ok: true, value: work(JSON.parse(readln(BBS_GYM_REQUEST_BYTES))) };
    } catch (fault) {
        answer = bbsGymFault(fault);
    }
    writeln(BBS_GYM_MARK + bbsGymAscii(JSON.stringify(answer)));
}

// A number that Synchronet's own definitions must have: missing, it would count as 0 and change nothing, silently.
function bbsGymConstant(name) {
    var value = js.global[name];
    if (typeof value !== "number") {
        throw new Error("this Synchronet defines no " + name);
    }
    return value;
}
