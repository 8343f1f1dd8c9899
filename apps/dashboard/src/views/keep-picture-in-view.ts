/** A narrow screen docks panels below the page. */
export function isNarrow(): boolean {
  return matchMedia("(max-width: 900px)").matches;
}

/**
 * A panel must not hide the first look and the present time, so a scrolled page scrolls back to the
 * top. A narrow page hides its header as well.
 */
export function keepPictureInView(): void {
  const main = document.querySelector("main");
  if (main === null || (!isNarrow() && main.getBoundingClientRect().top >= 0)) return;
  main.scrollIntoView({ block: "start", behavior: "auto" });
}
