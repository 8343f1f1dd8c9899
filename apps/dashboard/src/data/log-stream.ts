/** The logs of one container. */
export interface LogSource {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  /** Reads the run before the present run, instead of following the present run. */
  readonly previous: boolean;
}

/** Earlier lines that are read at first. A person who needs more lines can use the command. */
const tailLines = 500;
/**
 * Characters that the page keeps; older lines are dropped, so that a tab's memory does not grow.
 */
const textMax = 512 * 1024;

export function logPath({ namespace, pod, container, previous }: LogSource): string {
  const query = new URLSearchParams({ container, tailLines: String(tailLines) });
  query.set(previous ? "previous" : "follow", "true");
  return `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(pod)}/log?${query.toString()}`;
}

/** Adds text at the end and drops whole lines at the beginning when there are too many. */
export function appendLog(text: string, more: string): string {
  const all = text + more;
  if (all.length <= textMax) return all;
  const cut = all.indexOf("\n", all.length - textMax);
  return all.slice(cut < 0 ? all.length - textMax : cut + 1);
}
