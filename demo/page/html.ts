/** Markup that is safe to send: made by `html`, or by a library that escapes or sanitizes. */
export class Html {
  readonly markup: string;

  constructor(markup: string) {
    this.markup = markup;
  }
}

export type HtmlValue = Html | string | number | null | false | readonly HtmlValue[];

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes a text for an element or an attribute in quotes. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/** Builds markup. Every value that is not markup itself is escaped; null and false are left out. */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return new Html(strings.map((text, index) => text + markupOf(values[index] ?? null)).join(''));
}

function markupOf(value: HtmlValue): string {
  if (value === null || value === false) return '';
  if (value instanceof Html) return value.markup;
  if (typeof value === 'string' || typeof value === 'number') return escapeHtml(String(value));
  return value.map(markupOf).join('');
}
