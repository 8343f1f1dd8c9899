const focusable =
  "a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), textarea:not(:disabled), summary, [tabindex]:not([tabindex='-1'])";

/** A level of the page around an element, with the neighbors that it had. */
interface Level {
  readonly element: Element;
  readonly parent: Element | null;
  readonly before: Element | null;
  readonly after: Element | null;
}

/** The place of an element in the page, which is still known when the element no longer exists. */
export interface FocusPlace {
  readonly element: Element;
  /**
   * The element that has the focus next: itself, or its neighbor if it no longer exists or is
   * disabled.
   */
  find(): HTMLElement | undefined;
}

/** Remembers the place of an element. */
export function placeOf(element: Element): FocusPlace {
  const levels: Level[] = [];
  for (let each: Element | null = element; each !== null && each !== document.body; each = each.parentElement)
    levels.push({
      element: each,
      parent: each.parentElement,
      before: each.previousElementSibling,
      after: each.nextElementSibling,
    });
  return { element, find: () => (canFocus(element) ? (element as HTMLElement) : neighborIn(levels)) };
}

/** An element that had the focus and was disabled for a while gets the focus back. */
export function isWaiting(element: Element): boolean {
  return element.isConnected && element.matches(":disabled");
}

function canFocus(element: Element): boolean {
  return element.isConnected && element.matches(focusable) && element.checkVisibility();
}

/**
 * Returns the first control at the place now; else the first control of the next neighbor, of the
 * previous neighbor, or of the elements around them.
 */
function neighborIn(levels: readonly Level[]): HTMLElement | undefined {
  for (const { element, parent, before, after } of levels) {
    if (parent?.isConnected !== true) continue;
    const own = before?.parentElement === parent ? before.nextElementSibling : parent.firstElementChild;
    const found = [element, own, after, before, parent]
      .filter((each) => each !== null)
      .map((each) => firstIn(each))
      .find((each) => each !== undefined);
    if (found !== undefined) return found;
  }
  return undefined;
}

function firstIn(element: Element): HTMLElement | undefined {
  if (!element.isConnected) return undefined;
  if (canFocus(element)) return element as HTMLElement;
  return [...element.querySelectorAll<HTMLElement>(focusable)].find((each) => each.checkVisibility());
}
