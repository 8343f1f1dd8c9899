import { createHash } from "node:crypto";
import { makePicture, startState, timingsOf } from "@kintsugi/rehearsal";
import { drawnBehaviour, runQuestion } from "@kintsugi/simulator/factory";
import { madeDump } from "./made-dump.ts";

// Runs of one made cluster, each with the loss of another node, in a separate process:
//   node runs.mjs NODES PODS RUNS
// Prints {"importSeconds":…,"runSeconds":[…],"digest":…}: processor time, and a digest of all
// outcomes, which an optimization keeps.

const [nodes = "20", pods = "300", runs = "5"] = process.argv.slice(2);
const { items } = madeDump({ nodes: Number(nodes), pods: Number(pods) });
const before = cpuSeconds();
const picture = makePicture({ name: "made", objects: items, listed: [], isWhole: false });
const start = startState(picture);
const behaviour = drawnBehaviour(timingsOf(picture), start);
const importSeconds = cpuSeconds() - before;
const runSeconds: number[] = [];
const outcomes = createHash("sha256");
for (let run = 0; run < Number(runs); run++) {
  const node = start.nodes[(run * 7) % start.nodes.length]?.metadata.name ?? "";
  const beganAt = cpuSeconds();
  const outcome = await runQuestion(
    { start, behaviour },
    { question: { kind: "nodes-off", about: `${node} is off`, nodes: [node] }, seed: 1 + run },
  );
  runSeconds.push(Number((cpuSeconds() - beganAt).toFixed(3)));
  outcomes.update(JSON.stringify(outcome));
}
console.log(JSON.stringify({ importSeconds, runSeconds, digest: outcomes.digest("hex").slice(0, 16) }));

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}
