/** Takes a stream of bytes apart: up to a newline, or so many of them. */
export type ByteReader = {
  /** The next line without its newline, as Latin-1; null at the end of the stream. */
  readonly line: () => Promise<string | null>;
  /** The next bytes; null where the stream ends before. */
  readonly take: (count: number) => Promise<Buffer | null>;
};

const NEWLINE = 0x0a;

/** Reads from chunks as they come and holds no more of them than what is asked for. */
export function byteReader(chunks: AsyncIterable<Buffer>): ByteReader {
  const source = chunks[Symbol.asyncIterator]();
  let held: Buffer[] = [];
  let size = 0;
  const more = async (): Promise<boolean> => {
    const { value, done } = await source.next();
    if (done === true) return false;
    held.push(value);
    size += value.length;
    return true;
  };
  const whole = (): Buffer => (held.length === 1 && held[0] !== undefined ? held[0] : Buffer.concat(held));
  const cut = (count: number): Buffer => {
    const all = whole();
    held = count === all.length ? [] : [all.subarray(count)];
    size -= count;
    return all.subarray(0, count);
  };
  const take = async (count: number): Promise<Buffer | null> => {
    while (size < count) if (!(await more())) return null;
    return cut(count);
  };
  const line = async (): Promise<string | null> => {
    for (;;) {
      const end = whole().indexOf(NEWLINE);
      if (end !== -1) return cut(end + 1).toString('latin1', 0, end);
      if (!(await more())) return null;
    }
  };
  return { line, take };
}
