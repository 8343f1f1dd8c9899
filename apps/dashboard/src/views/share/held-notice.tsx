import { zonedClockText } from "../../model/words.ts";
import type { DashboardPage } from "../../state/page.ts";

/** Says that the picture stands at a time of the past, and leads back. */
export function HeldNotice({ page }: { page: DashboardPage }) {
  const { value: heldMs } = page.heldMs;
  if (heldMs === undefined) return null;
  return (
    <p class="held" role="status">
      The picture stands at {zonedClockText(heldMs)}. Numbers and lists are those of now.{" "}
      <button type="button" onClick={() => (page.heldMs.value = undefined)}>
        Back to now
      </button>
    </p>
  );
}
