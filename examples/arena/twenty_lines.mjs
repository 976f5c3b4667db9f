// The complete protocol. Nothing else is required.
import { createServer } from "node:http";

createServer((req, res) => {
  let body = "";
  req.on("data", (c) => (body += c));
  req.on("end", () => {
    const turn = JSON.parse(body);
    const move = turn.legal[Math.floor(turn.legal.length / 2)]; // pick a column
    res.writeHead(200, { "content-type": "application/json" });
    res.end(JSON.stringify({ move, nonce: turn.nonce }));
  });
}).listen(8080);
