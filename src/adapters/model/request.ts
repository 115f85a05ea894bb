import type { OpaqueMembers, OpaqueObject, TranscriptMessage } from '../../core/state/conversation.ts';
import { isReadingTool, readToolName, type ToolName } from '../../core/state/tools.ts';
import { ROLES_WORDS } from './error-meanings.ts';
import type { JsonObject, KnownRefusal, ModelParameters, ModelTool, ModelWire, SentMembers } from './model-wire.ts';

/** The content of a request to the model. */
export type Conversation = {
  readonly messages: readonly TranscriptMessage[];
  /** Names the run, so that its requests share a cache. */
  readonly runId: string;
  readonly tools: 'all' | 'reading' | 'reading-uncallable';
  /** Tools that this conversation cannot use. */
  readonly omitted?: readonly ToolName[];
};

type RequestOptions = {
  readonly wire: ModelWire;
  readonly address: ModelAddress;
  readonly isOpenAi: boolean;
  readonly tools: readonly ModelTool[];
  readonly parameters: ModelParameters;
};

/** Builds the requests to one model at one endpoint, and remembers what it refuses as long as the process lives. */
type RequestBuilder = {
  build(conversation: Conversation): ModelRequest;
  /** No later request, or none of this run, has a parameter or opaque member of this name. */
  refuse(name: string, runId: string | null): void;
};

type ModelRequest = {
  readonly body: JsonObject;
  /** Names of parameters and members that the request could do without. */
  readonly removable: readonly string[];
};

export function createRequestBuilder({ wire, address, isOpenAi, tools, parameters }: RequestOptions): RequestBuilder {
  const refused = new Set<string>();
  const reading = tools.filter(({ name }) => isReading(name));
  return {
    build({ messages, runId, tools: offered, omitted = [] }) {
      // A request without calls still contains the tools: the transcript has calls of them, and the cache stays valid.
      const usable = offered === 'all' ? tools : reading;
      const listed = usable.filter(({ name }) => !omitted.some((tool) => tool === name));
      const isRefused = (name: string): boolean => refused.has(name) || refused.has(ofRun(name, runId));
      const alternating = withNotesInResults(messages);
      const ordered = isRefused(NOTE_AFTER_RESULTS) ? alternating : messages;
      const sent = ordered.map((message) => ({ message, opaque: opaqueFor(message, address, isRefused) }));
      const withTools = listed.length > 0 ? { tools: listed.map(wire.writeTool) } : {};
      const forbidsCalls = listed.length > 0 && offered === 'reading-uncallable';
      const wanted = wire.listParameters({ parameters, isOpenAi, runId, forbidsCalls, isRefused });
      const optional = wanted.filter(([name, value]) => value !== null && !isRefused(name));
      return {
        body: { model: address.model, ...wire.writeTranscript(sent), ...withTools, ...Object.fromEntries(optional) },
        removable: [
          ...wire.refusals.map(({ name }) => name).filter((name) => !isRefused(name)),
          ...optional.map(([name]) => name),
          ...new Set(sent.flatMap(({ opaque }) => opaqueNames(opaque))),
          ...(alternating.length < ordered.length ? [NOTE_AFTER_RESULTS] : []),
        ],
      };
    },
    refuse: (name, runId) => void refused.add(runId === null ? name : ofRun(name, runId)),
  };
}

function ofRun(name: string, runId: string): string {
  return `${name} of ${runId}`;
}

/** What templates of Mistral's family refuse: there, users and the model take turns, and results are no turn. */
const NOTE_AFTER_RESULTS = 'user message after tool results';

/** The transcript with each such message at the end of the last result, and with messages of the user joined. */
function withNotesInResults(messages: readonly TranscriptMessage[]): readonly TranscriptMessage[] {
  const turns: TranscriptMessage[] = [];
  for (const message of messages) {
    const last = turns.at(-1);
    if (message.role !== 'user' || (last?.role !== 'tool' && last?.role !== 'user')) {
      turns.push(message);
      continue;
    }
    const heading = last.role === 'tool' ? '(This is from the user, not from the tool:)\n\n' : '';
    turns.splice(-1, 1, { ...last, content: `${last.content}\n\n${heading}${message.content}` });
  }
  return turns;
}

function isReading(name: string): boolean {
  const tool = readToolName(name);
  return tool !== null && isReadingTool(tool);
}

/** An error of the endpoint, as far as it can name a parameter. */
type NamedInError = { readonly status: number | undefined; readonly param: unknown; readonly message: string };

const REFUSING_STATUSES: ReadonlySet<number | undefined> = new Set([400, 422]);

/** The words that refuse a parameter. A member that is missing is no refusal of it. */
const REFUSAL =
  /un(?:supported|known|recogni[sz]ed|expected)|not (?:supported|permitted|allowed)|n't support|not support|invalid|extra|too (?:large|high)|ignored/i;

const DEMAND = /\bmissing\b|\brequire[ds]?\b|\bmust be (?:passed|sent|provided|included)/i;

/** Which of the names a refused request is refused for; null if it names none, and has no words of `refusals`. */
export function findRefusedName(
  { status, param, message }: NamedInError,
  names: readonly string[],
  refusals: readonly KnownRefusal[] = [],
): string | null {
  if (ROLES_WORDS.test(message)) return names.find((name) => name === NOTE_AFTER_RESULTS) ?? null;
  if (!REFUSING_STATUSES.has(status)) return null;
  const path = typeof param === 'string' ? param : '';
  const named =
    refusals.find(({ words, name }) => names.includes(name) && words.test(message))?.name ??
    names.find((name) => path === name || path.startsWith(`${name}.`));
  if (named !== undefined) return named;
  if (!REFUSAL.test(message) || DEMAND.test(message)) return null;
  return names.find((name) => path.endsWith(`.${name}`) || namesWord(message, name)) ?? null;
}

function namesWord(message: string, name: string): boolean {
  return new RegExp(`(?<![\\w.-])${name.replaceAll(/[^\w]/g, '\\$&')}(?![\\w-])`).test(message);
}

/** Maximum size of the opaque members of one response, as JSON. Each later request of the run contains them. */
const MAX_OPAQUE_BYTES = 256 * 1024;

/** A model at an endpoint: nothing else gets what it wrote for itself. */
export type ModelAddress = Pick<OpaqueMembers, 'model' | 'endpoint'>;

/** The members of a response for the transcript; null if there are none, or too many, of which `onDropped` is told. */
export function keepMembers(
  { message, calls }: SentMembers,
  { model, endpoint }: ModelAddress,
  onDropped: (bytes: number) => void,
): OpaqueMembers | null {
  if (!hasMembers(message) && !hasMembers(calls)) return null;
  const bytes = Buffer.byteLength(JSON.stringify({ message, calls }));
  if (bytes <= MAX_OPAQUE_BYTES) return { model, endpoint, message, calls };
  onDropped(bytes);
  return null;
}

/** The members that may go to this model: those that it wrote itself, without those that it refused. */
export function opaqueFor(
  sent: TranscriptMessage,
  address: ModelAddress,
  isRefused: (name: string) => boolean,
): SentMembers {
  const opaque = sent.role === 'assistant' ? sent.opaque : undefined;
  if (opaque === undefined || opaque.model !== address.model || opaque.endpoint !== address.endpoint)
    return { message: {}, calls: {} };
  const accepted = (members: OpaqueObject): OpaqueObject =>
    Object.fromEntries(Object.entries(members).filter(([name]) => !isRefused(name)));
  return {
    message: accepted(opaque.message),
    calls: Object.fromEntries(Object.entries(opaque.calls).map(([id, members]) => [id, accepted(members)])),
  };
}

/** Names of all members that a request would send back. */
function opaqueNames({ message, calls }: SentMembers): readonly string[] {
  return [message, ...Object.values(calls)].flatMap((members) => Object.keys(members));
}

function hasMembers(object: OpaqueObject): boolean {
  return Object.keys(object).length > 0;
}
