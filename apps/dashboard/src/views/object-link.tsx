import type { Shown } from "../model/commands.ts";
import type { DashboardPage } from "../state/page.ts";

/** A button that opens the details of an object. */
export function ObjectLink({ page, object, label }: { page: DashboardPage; object: Shown; label?: string }) {
  return (
    <button type="button" class="link" onClick={() => (page.selected.value = object)}>
      <span class="kind">{object.kind}</span> {label ?? object.name}
    </button>
  );
}
