/** A file as the tool `read_file` showed it; `lines` are bare, and the first of them is line `first` of the file. */
export type ShownFile = {
  readonly path: string;
  readonly lines: readonly string[];
  readonly first: number;
  /** Whether the file's last line is among them, and whether a newline ends it. */
  readonly toTheEnd: boolean;
  readonly endsWithNewline: boolean;
  /** Lines end with CR LF, which no suggestion can keep. */
  readonly hasReturns: boolean;
};

const HEADER = /^File (.+): lines (\d+) to (\d+) of (\d+);(.*)\. Its text begins on the next line\.\n/;

/** Reads a tool result back; null for one that shows no text. */
export function readAnswer(result: string): ShownFile | null {
  const [header, path, first, last, total, notes] = HEADER.exec(result) ?? [];
  if (header === undefined || path === undefined || notes === undefined) return null;
  const toTheEnd = last === total;
  const endsWithNewline = !notes.includes('no newline at the end');
  const hasReturns = notes.includes('line endings are CRLF');
  const lines = result.slice(header.length).split('\n');
  if (!toTheEnd || endsWithNewline) lines.pop();
  return { path, lines, first: Number(first), toTheEnd, endsWithNewline, hasReturns };
}
