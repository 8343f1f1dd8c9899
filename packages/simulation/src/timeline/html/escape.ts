/**
 * Escapes text for an HTML document, as content or in a quoted attribute, so that it is never
 * interpreted as markup.
 */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`);
}
