import { lengthText } from "../../model/words.ts";
import type { Playground } from "../../state/playground.ts";

/**
 * The time at which a change acts. The time changes with every frame, so nothing else is drawn with
 * it.
 */
export function PlayheadTime({ playground: { played } }: { playground: Playground }) {
  const player = played.value?.recording.player;
  if (player === undefined) return null;
  return <>at {lengthText(player.atMs.value - player.recording.fromMs)} of the run, where the playhead is</>;
}
