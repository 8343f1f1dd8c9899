import { setMaxListeners } from "node:events";
import type { AttackTarget } from "./attack.ts";
import { attacks } from "./attacks.ts";

// The attacker's process: `attacker.ts <id>`, the target as JSON on its standard input. It exits at
// SIGTERM.

const input: Buffer[] = [];
for await (const chunk of process.stdin) input.push(chunk as Buffer);
const target = JSON.parse(Buffer.concat(input).toString("utf8")) as AttackTarget;
const attack = attacks.find(({ id }) => id === process.argv[2]);
if (attack === undefined) throw new Error(`there is no attack ${process.argv[2]}`);
const stop = new AbortController();
// An attack has a listener for each of its connections.
setMaxListeners(0, stop.signal);
process.once("SIGTERM", () => stop.abort());
// The measurement ignores the errors of a hostile client.
process.on("uncaughtException", () => {});
await attack.run(target, stop.signal);
process.exit(0);
