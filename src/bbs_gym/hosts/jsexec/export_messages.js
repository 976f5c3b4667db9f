// What was written on the message boards, or as mail between users. {what: "boards" | "mail"} ->
// {areas: [{code, name, messages: [{number, to, from, subject, body, reply_to, when, deleted}]}]}

load("sbbsdefs.js");
load(js.exec_dir + "conversation.js");

function messagesOf(code) {
    var base = new MsgBase(code);
    var messages = [];
    if (!base.open()) {
        return messages; // nobody wrote there yet
    }
    try {
        var headers = base.get_all_msg_headers();
        Object.keys(headers).forEach(function (key) {
            var header = headers[key];
            messages.push({
                number: header.number,
                to: String(header.to || ""),
                from: String(header.from || ""),
                subject: String(header.subject || ""),
                body: String(base.get_msg_body(header.number) || ""),
                reply_to: header.thread_back || null,
                when: header.when_written_time || 0,
                deleted: Boolean(header.attr & bbsGymConstant("MSG_DELETE"))
            });
        });
    } finally {
        base.close();
    }
    return messages;
}

bbsGymRun(function (request) {
    if (request.what === "mail") {
        return { areas: [{ code: "mail", name: "mail", messages: messagesOf("mail") }] };
    }
    var areas = [];
    msg_area.grp_list.forEach(function (group) {
        group.sub_list.forEach(function (sub) {
            areas.push({ code: String(sub.code), name: String(sub.name), messages: messagesOf(sub.code) });
        });
    });
    return { areas: areas };
});
