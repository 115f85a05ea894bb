import type { TranscriptMessage } from '../../core/state/conversation.ts';
import { isReadingTool, readToolName } from '../../core/state/tools.ts';
import { type ModelAddress, opaqueFor, opaqueNames } from './opaque-members.ts';
import { type ModelTool, toWireMessage, toWireTool } from './wire-format.ts';

/** The content of a request to the model. */
export type Conversation = {
  readonly messages: readonly TranscriptMessage[];
  /** Names the run, so that its requests share a cache. */
  readonly runId: string;
  readonly tools: OfferedTools;
};

/** The tools that the model is told of, and whether it may call them now. */
type OfferedTools = 'all' | 'reading' | 'reading-uncallable';

type RequestOptions = {
  readonly address: ModelAddress;
  readonly tools: readonly ModelTool[];
  readonly parameters: ModelParameters;
};

/** Builds the requests to one model at one endpoint, and remembers what it refuses as long as the process lives. */
type RequestBuilder = {
  build(conversation: Conversation): ModelRequest;
  /** No later request has a parameter or opaque member of this name. */
  refuse(name: string): void;
};

type ModelRequest = {
  readonly body: Readonly<Record<string, unknown>>;
  /** Names of parameters and members that the request could do without. */
  readonly removable: readonly string[];
};

export function createRequestBuilder({ address, tools, parameters }: RequestOptions): RequestBuilder {
  const refused = new Set<string>();
  const isRefused = (name: string): boolean => refused.has(name);
  const host = new URL(address.endpoint).hostname;
  const reading = tools.filter(({ name }) => isReading(name));
  return {
    build({ messages, runId, tools: offered }) {
      // A request without calls still contains the tools: the transcript has calls of them, and the cache stays valid.
      const listed = offered === 'all' ? tools : reading;
      const opaqueSent = new Set<string>();
      const wireMessages = messages.map((message) => {
        const opaque = opaqueFor(message, address, isRefused);
        for (const name of opaqueNames(opaque)) opaqueSent.add(name);
        return toWireMessage(message, opaque);
      });
      const forbidsCalls = listed.length > 0 && offered === 'reading-uncallable';
      const withTools = listed.length > 0 ? { tools: listed.map(toWireTool) } : {};
      const optional = requestParameters({ parameters, host, runId, forbidsCalls, isRefused });
      return {
        body: { model: address.model, messages: wireMessages, ...withTools, ...optional },
        removable: [...Object.keys(optional), ...opaqueSent],
      };
    },
    refuse: (name) => void refused.add(name),
  };
}

function isReading(name: string): boolean {
  const tool = readToolName(name);
  return tool !== null && isReadingTool(tool);
}

/** Parameters that the operator sets; null sends none. */
export type ModelParameters = {
  readonly maxOutputTokens: number | null;
  readonly reasoningEffort: string | null;
  readonly temperature: number | null;
};

type ParameterName =
  | 'max_completion_tokens'
  | 'max_tokens'
  | 'prompt_cache_key'
  | 'reasoning_effort'
  | 'stream'
  | 'stream_options'
  | 'temperature'
  | 'tool_choice';

/** The optional parameters of a request, by their names on the wire. */
type RequestParameters = Readonly<Partial<Record<ParameterName, unknown>>>;

/** Hosts that know OpenAI's newer parameters. All others understand the older names. */
const OPENAI_HOSTS = /(?:^|\.)(?:api\.openai\.com|openai\.azure\.com|services\.ai\.azure\.com)$/;

/** The limit of output tokens has two names, and some endpoints refuse one of them. */
const OUTPUT_LIMIT_NAMES = ['max_completion_tokens', 'max_tokens'] as const;

type ParameterInput = {
  readonly parameters: ModelParameters;
  /** Host of the endpoint, without its port. */
  readonly host: string;
  readonly runId: string;
  /** The request has tools, and none may be called. */
  readonly forbidsCalls: boolean;
  readonly isRefused: (name: string) => boolean;
};

/** The parameters that are set, or known to be taken by this endpoint, without those that it refused. */
export function requestParameters({
  parameters,
  host,
  runId,
  forbidsCalls,
  isRefused,
}: ParameterInput): RequestParameters {
  const isOpenAi = OPENAI_HOSTS.test(host);
  const limitNames = isOpenAi ? OUTPUT_LIMIT_NAMES : OUTPUT_LIMIT_NAMES.toReversed();
  const limitName = limitNames.find((name) => !isRefused(name));
  const wanted: readonly (readonly [ParameterName, unknown])[] = [
    ...(limitName === undefined ? [] : [[limitName, parameters.maxOutputTokens] as const]),
    ['reasoning_effort', parameters.reasoningEffort],
    ['temperature', parameters.temperature],
    ['prompt_cache_key', isOpenAi ? runId : null],
    ['stream', true],
    ['stream_options', isRefused('stream') ? null : { include_usage: true }],
    ['tool_choice', forbidsCalls ? 'none' : null],
  ];
  return Object.fromEntries(wanted.filter(([name, value]) => value !== null && !isRefused(name)));
}

/** An error of the endpoint, as far as it can name a parameter. */
type NamedInError = { readonly status: number | undefined; readonly param: unknown; readonly message: string };

const REFUSING_STATUSES: ReadonlySet<number | undefined> = new Set([400, 422]);

/** The words that refuse a parameter. A member that is missing is no refusal of it. */
const REFUSAL =
  /un(?:supported|known|recogni[sz]ed|expected)|not (?:supported|permitted|allowed)|n't support|not support|invalid|extra|too (?:large|high)|ignored/i;

const DEMAND = /\bmissing\b|\brequire[ds]?\b|\bmust be (?:passed|sent|provided|included)/i;

/** Which of the names a refused request is refused for; null if it names none. */
export function findRefusedName({ status, param, message }: NamedInError, names: readonly string[]): string | null {
  if (!REFUSING_STATUSES.has(status)) return null;
  const named = names.find((name) => name === param);
  if (named !== undefined) return named;
  if (!REFUSAL.test(message) || DEMAND.test(message)) return null;
  return names.find((name) => namesWord(message, name)) ?? null;
}

function namesWord(message: string, name: string): boolean {
  return new RegExp(`(?<![\\w.-])${name.replaceAll(/[^\w]/g, '\\$&')}(?![\\w-])`).test(message);
}
