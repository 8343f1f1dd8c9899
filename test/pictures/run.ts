import { tmpdir } from "node:os";
import { join } from "node:path";
import { flag, readCommandLine, readOrExplain } from "@kintsugi/daemon";
import { type Camera, openCamera } from "./camera.ts";
import { pretendLab, takeLab } from "./take-lab.ts";
import { takePlayer } from "./take-player.ts";
import { takePlayground } from "./take-playground.ts";

// Photographs every view and state of the page, for a person who checks them:
//
//   npm run pictures:page -- --only lab --into DIRECTORY
//
// A sheet has the four pictures of a state: light and dark, 1280 and 375 wide, with reduced motion.
// The program prints what a program can see: cut text, overflow, errors, axe-core's violations.

const parts = { lab: takeLab, player: takePlayer, playground: takePlayground };

const program = {
  name: "npm run pictures:page --",
  description: "Photographs every view and state of the page, in light and dark, wide and narrow.",
};

const flags = {
  into: flag.path({ help: "Directory of the pictures", fallback: join(tmpdir(), "kintsugi-pictures") }),
  only: flag.list({ help: `Parts: ${Object.keys(parts).join(", ")}; default all of them`, fallback: [] }),
  state: flag.text({ help: "Only states whose names contain this text" }),
};

const { flags: values } = readOrExplain("pictures:page", () => readCommandLine(program, flags, process.argv.slice(2)));
await using camera = await openCamera(values.into, pretendLab);
const chosen: Camera = {
  faults: camera.faults,
  take: async (state, url, act) => {
    if (values.state !== undefined && !state.includes(values.state)) return;
    const before = camera.faults.length;
    await camera.take(state, url, act);
    for (const fault of camera.faults.slice(before)) process.stdout.write(`${fault}\n`);
  },
  [Symbol.asyncDispose]: () => camera[Symbol.asyncDispose](),
};
for (const [name, take] of Object.entries(parts))
  if (values.only.length === 0 || values.only.includes(name)) await take(chosen);
process.stdout.write(`The pictures are in ${values.into}.\n`);
process.exitCode = camera.faults.length > 0 ? 1 : 0;
