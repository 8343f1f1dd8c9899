/**
 * Escapes text for HTML, SVG or XML, as content or in a quoted attribute, so that it is never
 * interpreted as markup.
 */
export function escapeMarkup(text: string): string {
  return text.replaceAll(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`);
}
