import { useSignal } from "@preact/signals";
import type { DashboardPage } from "../../state/page.ts";
import { Lazy } from "../lazy.tsx";

const loadPanel = () => import("./share-panel.tsx").then(({ SharePanel }) => SharePanel);

interface ShareProps {
  readonly page: DashboardPage;
  /** The address of a time of the shown content. */
  readonly linkAt: (atMs: number) => string;
}

/** Opens the ways to share a moment. Their program is loaded only when they are opened. */
export function Share({ page, linkAt }: ShareProps) {
  const isOpen = useSignal(false);
  return (
    <div class="share">
      <button type="button" aria-expanded={isOpen.value} onClick={() => (isOpen.value = !isOpen.value)}>
        Share
      </button>
      {isOpen.value && <Lazy isWanted load={loadPanel} props={{ page, linkAt }} />}
    </div>
  );
}
