/** Nodes of simulated clusters have their own names; this is only the default of a flag. */
export function hostname(): string {
  return "browser";
}

export function availableParallelism(): number {
  return 1;
}

export function cpus(): [] {
  return [];
}

export function totalmem(): number {
  return 0;
}

export function tmpdir(): string {
  return "/tmp";
}

export function homedir(): string {
  return "/";
}

export function arch(): string {
  return "wasm";
}

export function release(): string {
  return "0";
}
