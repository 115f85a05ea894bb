/** The words of a commit message's text above its trailers. Each is safe in a subject. */
type CommitWords = {
  readonly summary: string;
  /** Paths that are unsafe in a commit message are left out. */
  readonly paths: readonly string[];
  readonly ids: readonly string[];
};

const MAX_SUBJECT_CHARACTERS = 72;

const MAX_LINE_CHARACTERS = 120;

const MAX_LINES = 50;

const MAX_PATHS_NAMED = 10;

/** Lines that the App, GitHub or a check would read as the App's own words about people and changes. */
const RESERVED_LINE = /^\s*(?:Countersign-[a-z-]*|Approved-by|Co-authored-by|Signed-off-by)\s*:/i;

const LINE_END = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/u;

/**
 * The text of a template with `{summary}`, `{paths}` and `{ids}`: a subject of at most 72 characters, then, after a
 * blank line, the other lines. No line can pass for a trailer of the App, nor has hidden characters. If nothing is left
 * of the first line, the summary is the subject.
 */
export function renderCommitText(template: string, words: CommitWords): string {
  const values = new Map([
    ['summary', words.summary],
    ['paths', namePaths(words.paths)],
    ['ids', [...new Set(words.ids)].join(', ')],
  ]);
  const filled = template.replace(/\{(summary|paths|ids)\}/g, (_, name: string) => values.get(name) ?? '');
  const lines = filled
    .split(LINE_END)
    .map((line) => line.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]+/gu, ' ').trimEnd())
    .filter((line) => !RESERVED_LINE.test(line))
    .slice(0, MAX_LINES);
  const [first = '', ...rest] = lines.join('\n').trim().split('\n');
  const subject = shorten(first === '' ? words.summary : first, MAX_SUBJECT_CHARACTERS);
  const body = rest
    .map((line) => shorten(line, MAX_LINE_CHARACTERS))
    .join('\n')
    .trim();
  return body === '' ? subject : `${subject}\n\n${body}`;
}

function namePaths(paths: readonly string[]): string {
  const unique = [...new Set(paths)];
  const named = unique.slice(0, MAX_PATHS_NAMED);
  return [...named, ...(unique.length > named.length ? [`${unique.length - named.length} more`] : [])].join(', ');
}

function shorten(line: string, maxCharacters: number): string {
  const characters = [...line];
  return characters.length <= maxCharacters
    ? line
    : `${characters
        .slice(0, maxCharacters - 1)
        .join('')
        .trimEnd()}…`;
}
