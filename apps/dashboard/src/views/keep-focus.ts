import { type FocusPlace, isWaiting, placeOf } from "./focus-place.ts";

/**
 * Keeps the focus on the page: when the element with the focus is removed, its neighbor gets the
 * focus, and an element that was disabled for a while gets the focus back. Otherwise the browser
 * moves the focus to the body, and a person with a keyboard starts at the top of the page.
 */
export function keepFocus(root: HTMLElement, signal: AbortSignal): void {
  let place: FocusPlace | undefined;
  root.addEventListener("focusin", ({ target }) => (place = target instanceof Element ? placeOf(target) : undefined), {
    signal,
  });
  root.addEventListener(
    "focusout",
    ({ target }) => {
      // A person who clicks outside of every control has left the element, although it still
      // exists.
      queueMicrotask(() => {
        if (target === place?.element && isStill(target)) place = undefined;
      });
    },
    { signal },
  );
  // A pressed key would also press the control that gets the focus, so the focus moves only once
  // the key is released.
  let isKeyDown = false;
  const restore = () => {
    if (isKeyDown || place === undefined || document.activeElement !== document.body || isWaiting(place.element))
      return;
    place.find()?.focus({ preventScroll: true });
  };
  const release = () => {
    isKeyDown = false;
    requestAnimationFrame(restore);
  };
  addEventListener("keydown", () => (isKeyDown = true), { signal, capture: true });
  addEventListener("keyup", release, { signal, capture: true });
  addEventListener("blur", release, { signal });
  const observer = new MutationObserver(restore);
  observer.observe(root, { childList: true, subtree: true, attributes: true, attributeFilter: ["disabled", "hidden"] });
  signal.addEventListener("abort", () => observer.disconnect(), { once: true });
}

function isStill(target: EventTarget | null): boolean {
  return target instanceof Element && target.isConnected && !target.matches(":disabled") && target.checkVisibility();
}
