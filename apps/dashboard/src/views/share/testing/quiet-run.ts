import { type Palette, readPalette } from "../../../drawing/palette.ts";
import type { RunTime } from "../../../drawing/scale.ts";
import { openRecording } from "../../../state/open-recording.ts";
import type { DashboardPage } from "../../../state/page.ts";

/** The page of a cluster "lab" without nodes, in whose ten minutes nothing happens. */
export function quietRun(): { page: DashboardPage; span: RunTime; palette: Palette } {
  const span = { fromMs: 0, toMs: 600_000 };
  const { page } = openRecording({
    title: "lab",
    description: "",
    clusterName: "lab",
    profile: "kubernetes",
    ...span,
    steps: [],
    changes: [],
    hasObjects: true,
    captions: [],
  });
  return { page, span, palette: readPalette(() => "#000") };
}
