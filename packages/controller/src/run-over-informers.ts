import type { InformerPool } from "./declare/informer-pool.ts";
import type { Controller } from "./reconciler.ts";
import { runTogether } from "./run-together.ts";

/** Runs informers, and runs controllers over them as soon as the first lists are complete. */
export async function runOverInformers(
  informers: InformerPool,
  { controllers, onSynced }: { controllers: readonly Controller[]; onSynced: () => void },
  signal: AbortSignal,
): Promise<void> {
  await runTogether(signal, [
    (ends) => informers.run(ends),
    async (ends) => {
      await informers.waitForSync(ends);
      onSynced();
      await runTogether(
        ends,
        controllers.map((controller) => (until: AbortSignal) => controller.run(until)),
      );
    },
  ]);
}
