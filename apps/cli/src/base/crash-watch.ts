import { join } from "node:path";
import { type ControlClient, findCluster, type KnownCluster, logFileName, type SupervisorStatus } from "@kintsugi/lab";
import { lastLogLine } from "./log-lines.ts";

/**
 * Number of exits that indicate a real fault. On a busy host, a process may exit once or twice
 * because of a race at its start.
 */
const endsMax = 3;

type Components = SupervisorStatus["components"];

/** Watches the processes of a cluster during its start. */
export interface CrashWatch {
  /**
   * Returns why waiting is useless: the cluster was removed, or a process exits repeatedly, with
   * the last line of its log.
   */
  hopeless(): Promise<string | undefined>;
  /** Returns ", and the last line of its log FILE is: …" for a process, or "" without one. */
  lastWords(program: string): Promise<string>;
}

/** Counts exits of processes from now on. */
export async function watchCrashes({ paths, spec }: KnownCluster, control: ControlClient): Promise<CrashWatch> {
  const before = (await control.status())?.components ?? [];
  const words = async (id: string) => {
    const file = join(paths.logs, logFileName(id));
    const line = await lastLogLine(file);
    return line === undefined ? `; its log is ${file}` : `; the last line of its log ${file} is: ${line}`;
  };
  return {
    async hopeless() {
      if ((await findCluster(spec.name)) === undefined)
        return `the cluster "${spec.name}" was removed while it was started: run \`kintsugi up\` again`;
      const id = findCrashing((await control.status())?.components ?? [], before);
      return id === undefined ? undefined : `${id} has ended ${endsMax} times${await words(id)}`;
    },
    async lastWords(program) {
      const present = (await control.status())?.components ?? [];
      const found = present.find(({ id }) => id === program || id.startsWith(`${program}@`));
      return found === undefined ? "" : await words(found.id);
    },
  };
}

/** Returns the process that has exited three times since `before`. */
export function findCrashing(present: Components, before: Components): string | undefined {
  const endsBefore = new Map(before.map((each) => [each.id, endsOf(each)]));
  return present.find((each) => endsOf(each) - (endsBefore.get(each.id) ?? 0) >= endsMax)?.id;
}

/** Each start after the first follows an exit. */
function endsOf({ restarts, pid }: Components[number]): number {
  return restarts + (pid === undefined ? 1 : 0);
}
