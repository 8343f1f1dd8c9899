/** Waits for work that lives on what it hears. However it ends, it listens no more: `stops` are what listening gave. */
export async function whileListening(
  stops: readonly ((() => void) | undefined)[],
  work: Promise<unknown>,
): Promise<void> {
  try {
    await work;
  } finally {
    for (const stop of stops) stop?.();
  }
}
