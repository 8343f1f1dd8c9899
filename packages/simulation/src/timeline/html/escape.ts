/**
 * Text that goes into an HTML document, as content or in a quoted attribute: none of it can be
 * markup.
 */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`);
}
