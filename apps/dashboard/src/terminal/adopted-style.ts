/** The element that is in the bundle in place of the terminal's style elements. */
const elementName = "kintsugi-style";

/**
 * The page's policy applies no style element that a script makes. The rules of the terminal, which
 * carry its own numbers and colours, become a constructed style sheet instead.
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
