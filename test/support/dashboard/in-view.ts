import type { Page } from "playwright-core";

/**
 * Reports whether the whole element is visible in the window, and not covered by another element.
 */
export async function isInView(page: Page, selector: string): Promise<boolean> {
  return page.evaluate<boolean>(`(() => {
    const element = document.querySelector(${JSON.stringify(selector)});
    const { top, bottom, left, right } = element.getBoundingClientRect();
    const isWithin = top >= 0 && left >= 0 && bottom <= innerHeight && right <= innerWidth;
    const corners = [[left + 8, top + 8], [right - 8, top + 8], [left + 8, bottom - 8], [right - 8, bottom - 8]];
    const isFree = corners.every(([x, y]) => element.contains(document.elementFromPoint(x, y)));
    return isWithin && isFree;
  })()`);
}
