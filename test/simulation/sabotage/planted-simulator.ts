import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { build, type Plugin } from "esbuild";
import { bundleOptions } from "../../../tools/bundle-options.mjs";
import { runProgram } from "../../support/run-program.ts";
import type { RunReport } from "./live-main.ts";
import type { RunName } from "./runs/runs.ts";
import { CannotBePlanted, plant, type PlantedBug } from "./planted-bug.ts";

const repository = join(import.meta.dirname, "../../..");
/** The cache is inside the repository, which has the modules that are not bundled. */
const cache = join(repository, "node_modules/.cache");

/** A run takes a second or two on an idle machine. A run that exceeds this limit is in a loop. */
const runMaxMs = 60_000;
const startMaxMs = 30_000;

export interface SimulatedRuns {
  readonly reports: readonly RunReport[];
  /** The output of a process that did not end properly. */
  readonly trouble?: string;
}

/** The simulator as one program with at most one bug, in a directory of its own. */
export class PlantedSimulator implements AsyncDisposable {
  readonly #directory: string;

  private constructor(directory: string) {
    this.#directory = directory;
  }

  /** @throws CannotBePlanted when the source has changed. */
  static async build(bug?: PlantedBug): Promise<PlantedSimulator> {
    await mkdir(cache, { recursive: true });
    const simulator = new PlantedSimulator(await mkdtemp(join(cache, "sabotage-")));
    try {
      await bundle(simulator.#program, bug && (await planted(bug)));
      return simulator;
    } catch (error) {
      await simulator[Symbol.asyncDispose]();
      throw error;
    }
  }

  get #program(): string {
    return join(this.#directory, "live.mjs");
  }

  /** Simulates these runs, as [run, seed], until one fails. */
  async live(which: readonly (readonly [RunName, number])[]): Promise<SimulatedRuns> {
    const args = which.map(([run, seed]) => `${run}:${seed}`);
    const timeoutMs = startMaxMs + runMaxMs * which.length;
    const { code, stdout, stderr } = await runProgram(process.execPath, [this.#program, ...args], { timeoutMs });
    const lines = stdout.split("\n").filter((line) => line !== "");
    const reports = lines.map((line) => JSON.parse(line) as RunReport);
    if (code === 0) return { reports };
    const how = code === null ? `it was ended after ${timeoutMs} ms` : `exit code ${code}`;
    return { reports, trouble: `${how}: ${stderr.slice(-2000)}` };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#directory, { recursive: true, force: true });
  }
}

interface PlantedFile {
  bug: PlantedBug;
  path: string;
  contents: string;
}

async function planted(bug: PlantedBug): Promise<PlantedFile> {
  const path = join(repository, bug.file);
  return { bug, path, contents: plant(bug, await readFile(path, "utf8")) };
}

async function bundle(outfile: string, file: PlantedFile | undefined): Promise<void> {
  let isPlanted = false;
  await build({
    entryPoints: [join(import.meta.dirname, "live-main.ts")],
    outfile,
    ...bundleOptions,
    logLevel: "silent",
    plugins: file ? [inPlaceOf(file, () => (isPlanted = true))] : [],
    absWorkingDir: repository,
  });
  if (file && !isPlanted) throw new CannotBePlanted(file.bug, `the simulator does without ${file.bug.file}`);
}

/**
 * The pattern matches only that file: esbuild calls back for each file that matches, which for all
 * files takes a tenth of the time.
 */
function inPlaceOf({ path, contents }: PlantedFile, onPlanted: () => void): Plugin {
  const filter = new RegExp(`^${path.replaceAll(/[^\w/]/g, String.raw`\$&`)}$`);
  return {
    name: "planting",
    setup(build) {
      build.onLoad({ filter }, () => {
        onPlanted();
        return { contents, loader: "ts" };
      });
    },
  };
}
