// An agent in JavaScript with only the `ws` package: the whole protocol in one file.
//
//   npm install
//   AGENTBBS_TOKEN=… node agent.mjs ws://127.0.0.1:8090/play ttt --matches 3
//
// Exit codes: 0 all matches were played, 1 the venue refused or was lost, 2 a wrong call.

import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import WebSocket from "ws";

// A move came too late or twice; the match goes on.
const HARMLESS = new Set(["game_over", "not_your_turn", "stale_ply"]);

function wrongCall(why) {
  console.error(`${why}\nusage: node agent.mjs URL GAME [--matches N] [--token-file FILE]`);
  process.exit(2);
}

function readCall() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { matches: { type: "string", default: "1" }, "token-file": { type: "string" } },
    });
    const file = values["token-file"];
    const token = file ? readFileSync(file, "utf8").trim() : process.env.AGENTBBS_TOKEN;
    return { url: positionals[0], game: positionals[1], matches: Number(values.matches), token };
  } catch (fault) {
    return wrongCall(fault.message);
  }
}

const { url, game, matches, token } = readCall();
if (!url || !game || !(matches >= 1)) wrongCall("a URL and a game are needed");
if (!token) wrongCall("no token: set AGENTBBS_TOKEN to what `agentbbs mint-token NAME` printed");

let left = matches;
process.exitCode = 1; // until the last result is there

const venue = new WebSocket(url, { headers: { Authorization: `Bearer ${token}` } });
const send = (message) => venue.send(JSON.stringify(message));

venue.on("open", () => send({ type: "join", game }));

venue.on("message", (data) => {
  const message = JSON.parse(data.toString());
  if (message.type === "state" && message.yourTurn) {
    const legal = message.observation.legal;
    send({ type: "move", move: legal[Math.floor(Math.random() * legal.length)], ply: message.ply });
  } else if (message.type === "result") {
    console.log(message.outcome, message.rating, message.match);
    left -= 1;
    if (left > 0) {
      send({ type: "join", game });
    } else {
      process.exitCode = 0;
      venue.close();
    }
  } else if (message.type === "error" && !HARMLESS.has(message.code)) {
    console.error(`${message.code}: ${message.message}`);
    venue.close();
  }
});

// 401 and 429 say why in JSON, before there is a WebSocket.
venue.on("unexpected-response", (request, response) => {
  let body = "";
  response.on("data", (chunk) => (body += chunk));
  response.on("end", () => {
    console.error(`HTTP ${response.statusCode}: ${body}`);
    request.destroy();
  });
});

venue.on("error", (fault) => console.error(fault.message || fault.code));

venue.on("close", (code) => {
  if (left > 0) console.error(`the connection was lost (close code ${code}), ${left} of ${matches} matches unplayed`);
});
