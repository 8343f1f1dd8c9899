/** The element that replaces the terminal's style elements in the bundle. */
const elementName = "kintsugi-style";

/**
 * The page's policy blocks style elements that a script makes. The terminal's rules, which contain
 * its own numbers and colors, become a constructed style sheet instead.
 */
export function defineAdoptedStyle(): void {
  if (customElements.get(elementName) === undefined) customElements.define(elementName, AdoptedStyle);
}

class AdoptedStyle extends HTMLElement {
  readonly #sheet = new CSSStyleSheet();

  override set textContent(text: string) {
    this.#sheet.replaceSync(text);
  }

  connectedCallback(): void {
    document.adoptedStyleSheets.push(this.#sheet);
  }

  disconnectedCallback(): void {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((each) => each !== this.#sheet);
  }
}
