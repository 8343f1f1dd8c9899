import { zonedClockText } from "../../model/words.ts";
import type { DashboardPage } from "../../state/page.ts";

/** Shows that the picture is held at a past time, and returns to the present. */
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
