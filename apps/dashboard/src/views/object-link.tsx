import type { Shown } from "../model/commands.ts";
import type { Page } from "../state/page.ts";

/** A button that opens the details of an object. */
export function ObjectLink({ page, object, label }: { page: Page; object: Shown; label?: string }) {
  return (
    <button type="button" class="link" onClick={() => (page.selected.value = object)}>
      <span class="kind">{object.kind}</span> {label ?? object.name}
    </button>
  );
}
