// Writes across kills: SEED and the number of kills. Exits with 1 when an acknowledged write is
// lost.
import { writeOverKills } from "./write-over-kills.ts";

const [seed = "1", kills = "6"] = process.argv.slice(2);
const stopping = new AbortController();
process.once("SIGTERM", () => stopping.abort());
const report = await writeOverKills({ seed: Number(seed), kills: Number(kills), signal: stopping.signal });
for (const lost of report.lost) console.log(lost);
console.log(`${report.acknowledged} acknowledged writes over ${report.kills} kills`);
process.exit(report.lost.length === 0 ? 0 : 1);
