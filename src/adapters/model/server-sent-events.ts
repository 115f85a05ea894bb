import { setImmediate as yieldToEventLoop } from 'node:timers/promises';

/** The data of one server-sent event, and its name if it has one. */
type ServerSentEvent = { readonly name: string | null; readonly data: string };

/**
 * The events of a body, in order; the last one may lack its blank line. The time grows with the body alone, unlike that
 * of the SDK, which copies the rest of a piece for each blank line in it.
 */
export async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  const decoder = new TextDecoder();
  const lines = createLineSplitter();
  const events = createEventCollector();
  for await (const bytes of body) {
    yield* events.add(lines.add(decoder.decode(bytes, { stream: true })));
    // Pieces that arrived together would otherwise be read without a pause.
    await yieldToEventLoop();
  }
  yield* events.add([...lines.add(decoder.decode()), lines.rest(), '']);
}

type LineSplitter = {
  add(piece: string): readonly string[];
  /** The line that has no end yet. */
  rest(): string;
};

/**
 * Divides a text that comes in pieces into lines, without their ends. No piece is read twice, however long a line is.
 */
function createLineSplitter(): LineSplitter {
  let begun: string[] = [];
  let isAfterCr = false;
  return {
    add(piece) {
      // The CR of a divided CRLF has ended the line already.
      const [first = '', ...others] = (isAfterCr && piece.startsWith('\n') ? piece.slice(1) : piece).split(LINE_END);
      if (piece !== '') isAfterCr = piece.endsWith('\r');
      begun.push(first);
      const last = others.pop();
      if (last === undefined) return [];
      const lines = [begun.join(''), ...others];
      begun = [last];
      return lines;
    },
    rest: () => begun.join(''),
  };
}

const LINE_END = /\r\n|\n|\r/;

type EventCollector = { add(lines: readonly string[]): readonly ServerSentEvent[] };

/** Collects lines until a blank one ends their event. Comments and other fields are left out. */
function createEventCollector(): EventCollector {
  let name: string | null = null;
  let data: string[] = [];
  const takeEvent = (): readonly ServerSentEvent[] => {
    const event = { name, data: data.join('\n') };
    const isEmpty = name === null && data.length === 0;
    [name, data] = [null, []];
    return isEmpty ? [] : [event];
  };
  return {
    add: (lines) =>
      lines.flatMap((line) => {
        if (line === '') return takeEvent();
        const [, field, value = ''] = FIELD.exec(line) ?? [];
        if (field === 'event') name = value;
        if (field === 'data') data.push(value);
        return [];
      }),
  };
}

/** Its value is after a colon and a space. */
const FIELD = /^(event|data)(?:$|: ?(.*)$)/s;
