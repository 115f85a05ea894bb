import type { ModelError, ModelFailureKind } from '../../core/step/model-port.ts';

/** The meaning of a failure. The message is published, so it never quotes the endpoint: its words can hold the key. */
export type ModelErrorMeaning = {
  readonly kind: ModelError['kind'];
  readonly failure: ModelFailureKind;
  readonly message: string;
};

const KEY_REJECTED = permanentError(
  'key-rejected',
  'The model endpoint rejects the key; the operator should check `OPENAI_API_KEY`.',
);

const MODEL_UNKNOWN = permanentError(
  'model-unknown',
  'The model endpoint does not know the model; the operator should check `OPENAI_MODEL`.',
);

const NO_QUOTA = permanentError(
  'no-quota',
  'The account at the model endpoint has no quota left; the operator should check it.',
);

const TOO_LONG = permanentError('too-long', 'The conversation has become longer than the model can read.');

const FILTERED = permanentError(
  'filtered',
  'The content filter of the model endpoint rejects the conversation, so the task needs other words or files.',
);

/** A quota that no wait of an hour gives back. Some endpoints say so with the status of a limit of speed. */
const SPENT_WORDS = new RegExp(
  [
    /insufficient (?:account )?(?:balance|funds|credits?|quota)|credit balance|(?:credits?|quota|free tier)\b.{0,40}\b(?:used up|exhausted|depleted)/,
    /used all (?:available )?credits|(?:out of|no|more) credits|spending limit|credit limit|usage limits?\b|key limit exceeded/,
    /account is (?:not active|in good standing)|past invoices|top up|payment method|余额不足|欠费/,
    // Gemini names the quota, and says the same of one that comes back in a minute.
    /exceeded your current quota(?!.*(?:retry in|per ?minute))|(?:per[ -]?day|(?:daily|weekly|monthly) (?:\w+ ){0,2}(?:quota|limit))(?!.*try again in)|\/ ?month|limit: 0\b/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'is',
);

const TOO_LONG_FOR_ACCOUNT = permanentError(
  'too-long',
  'The conversation is longer than the account at the model endpoint may send at once.',
);

const NO_TOOLS = permanentError(
  'no-tools',
  'The model cannot call tools at this endpoint; the operator should choose a model that can, or let its server do so.',
);

const BROKEN_CALL = transientError('broken-call', 'The model wrote a tool call that its endpoint could not read.');

const ROLES_REFUSED = permanentError(
  'bad-request',
  'The model’s chat template refuses the order of the conversation; the operator should use another template or model.',
);

/** The words of chat templates, and of endpoints before them, that take the roles of a conversation in turns only. */
export const ROLES_WORDS =
  /roles (?:must|should) (?:alternate|be alternating)|should alternate with|after role 'tool'/i;

const BY_STATUS: Readonly<Record<number, ModelErrorMeaning>> = {
  400: permanentError(
    'bad-request',
    'The model endpoint rejects the request; the operator should check `OPENAI_MODEL` and the endpoint.',
  ),
  401: KEY_REJECTED,
  402: permanentError('no-quota', 'The model endpoint asks for payment; the operator should check its account.'),
  403: permanentError(
    'access-denied',
    'The model endpoint denies access; the operator should check what `OPENAI_API_KEY` may use.',
  ),
  404: permanentError(
    'not-found',
    'The model or its endpoint does not exist; the operator should check `OPENAI_MODEL` and `OPENAI_BASE_URL`.',
  ),
  408: transientError('timeout', 'The model endpoint timed out.'),
  409: transientError('endpoint-failing', 'The model endpoint was busy with a conflicting request.'),
  413: permanentError('too-long', 'The conversation is too large for the model endpoint.'),
  429: transientError('rate-limit', 'The model endpoint limits how fast it may be asked.'),
};

/** By error code or type, which is more specific than the status. */
const BY_CODE: Readonly<Record<string, ModelErrorMeaning>> = {
  insufficient_quota: NO_QUOTA,
  insufficient_user_quota: NO_QUOTA,
  exceeded_current_quota_error: NO_QUOTA,
  billing_not_active: NO_QUOTA,
  billing_hard_limit_reached: NO_QUOTA,
  invalid_api_key: KEY_REJECTED,
  authentication_error: KEY_REJECTED,
  model_not_found: MODEL_UNKNOWN,
  DeploymentNotFound: MODEL_UNKNOWN,
  context_length_exceeded: TOO_LONG,
  exceed_context_size_error: TOO_LONG,
  model_max_prompt_tokens_exceeded: TOO_LONG,
  tokens_limit_reached: TOO_LONG,
  request_too_large: TOO_LONG,
  content_filter: FILTERED,
  content_policy_violation: FILTERED,
  tool_use_failed: BROKEN_CALL,
  output_parse_failed: BROKEN_CALL,
};

const TOOLS = '(?:tools?|tool[ _-](?:use|call(?:s|ing)?)|function[ _-]?call(?:s|ing)?)';

/** The words of a model or server that takes no tools. The same ones beside reasoning refuse only both together. */
const NO_TOOLS_WORDS = new RegExp(
  [
    /--jinja\b|--enable-auto-tool-choice/.source,
    `(?:\\bnot|n't|endpoints (?:found|available) that) (?:\\w+ ){0,2}support(?:ed)?\\W+(?:\\w+ ){0,2}${TOOLS}\\b(?!.{0,40}(?:reasoning|stream))`,
    `\\b${TOOLS}\\b\\W+(?:(?!with\\b)\\w+ ){0,3}(?:unsupported|disabled|(?:not|n't) (?:\\w+ )?(?:supported|enabled|available|permitted|allowed))`,
    `(?:unsupported param(?:eter)?\\W+tools|\\bno ${TOOLS} support|not have ${TOOLS} capabilit)\\w*`,
    `\\[?"body", ?"tools"\\]?.{0,60}not permitted`,
  ].join('|'),
  'is',
);

/**
 * The words of refusals of a conversation that is too long, with the endpoints that write them. A recorded text of each
 * is in test/fixtures. Such a text can name the limit of the answer too. No size is read from it, because what it counts
 * differs: the next request is shorter.
 */
export const OVERFLOWS: readonly (readonly [endpoints: string, words: RegExp])[] = [
  [
    'OpenAI, DeepSeek, OpenRouter, vLLM, xAI, Ollama’s cloud',
    /max(?:imum)? (?:context|model|prompt|input) length(?: is|:| of| \()/i,
  ],
  ['vLLM with the size first, LM Studio', /context length (?:is|of) only/i],
  ['Together, SGLang, LM Studio, vLLM', /(?:longer|greater|larger) than .{0,40}(?:context|model) (?:length|window)/i],
  [
    'llama.cpp, OpenAI, Ollama, Anthropic, LiteLLM, codes as words',
    /exceed\w*.{0,60}\bcontext[ _](?:length|size|window|limit)/i,
  ],
  ['MiniMax, LM Studio, Cloudflare', /context[ _]?(?:length|size|window|limit).{0,30}exceed/i],
  ['older LM Studio', /context the overflows/i],
  ['Mistral', /too large for model with/i],
  ['Anthropic, Ollama, Bedrock', /\b(?:prompt|input|conversation)(?: is| was)? too (?:long|large)/i],
  ['Perplexity, Moonshot', /\b(?:messages|tokens?|tokens? length)(?: is| are)? too long/i],
  ['Moonshot', /exceed\w* (?:the )?(?:model )?token limit|token limit exceed/i],
  [
    'Gemini, Copilot, SGLang, Poolside, Bedrock, z.ai, NIM',
    /(?<!\bin (?:the|your) )\b(?:input|prompt|request(?:ed)?)\b.{0,60}\bexceed.{0,40}\b(?:tokens?|length|size|limit|context|model)/i,
  ],
  ['Cohere, Doubao', /\b(?:total|number of|total number of) tokens\b.{0,60}\bexceed/i],
  ['TGI, Together, Hugging Face', /\binputs?`? (?:tokens \+ |must have less than \d+ tokens)/i],
  ['Alibaba', /input length should be/i],
  ['Groq, Cerebras', /reduce (?:the|your) (?:length|size|prompt|input|message)/i],
  ['Cohere, Bedrock', /too many (?:input |prompt )?tokens\b(?!, please wait)/i],
  ['Titan on Bedrock', /expected maxLength: \d+, actual/i],
  ['OpenAI, of one message', /messages\[\d+\]\.content\W.{0,20}string too long/i],
  [
    'others in like words',
    /\b(?:input|prompt|sequence)\b.{0,40}(?:(?:longer|larger|greater|more) than|exceeds max|> max)/i,
  ],
  ['Tencent, Baidu', /(?:输入|上下文|提示词?).{0,10}(?:过长|超)/i],
];

/** All of them. */
export const TOO_LONG_WORDS = new RegExp(OVERFLOWS.map(([, { source }]) => source).join('|'), 'i');

/** A limit of speed that one request alone passes, so that no wait helps. */
const LIMIT_AND_REQUEST = /\blimit\W{1,3}([\d,]+).{0,60}?\brequested\W{1,3}([\d,]+)/i;

/** Whether an endpoint refuses a request because it has more tokens than a minute or a day may have. */
function exceedsRateAlone(message: string): boolean {
  const [, limit = '', requested = ''] = LIMIT_AND_REQUEST.exec(message) ?? [];
  return Number(requested.replaceAll(',', '')) > Number(limit.replaceAll(',', ''));
}

const REFUSALS: ReadonlySet<number> = new Set([400, 404, 413, 422]);

/** Local servers answer so, and errors within a stream that state no status. */
const REFUSALS_OR_500: ReadonlySet<number> = new Set([...REFUSALS, 500, 501]);

/** The words of endpoints without codes, or with ones that say less, by status. The first row that fits counts. */
const BY_WORDS: readonly (readonly [ReadonlySet<number>, RegExp, ModelErrorMeaning])[] = [
  [REFUSALS_OR_500, NO_TOOLS_WORDS, NO_TOOLS],
  [
    REFUSALS_OR_500,
    /failed to call a function|tool call validation failed|(?:failed to pars|error pars|could not pars)\w* (?:the )?(?:tool call|model output)|failed to parse input at pos|output that could not be parsed|malformed[ _]function[ _]call/i,
    BROKEN_CALL,
  ],
  [REFUSALS_OR_500, ROLES_WORDS, ROLES_REFUSED],
  [new Set([400, 404, 422, 500]), TOO_LONG_WORDS, TOO_LONG],
  [new Set([400, 403, 413, 429]), /long context|request (?:body )?too large/i, TOO_LONG_FOR_ACCOUNT],
  [
    new Set([400, 403, 451, 500]),
    /\bflagged\b|moderation|content (?:filter|management|polic|safety)|inappropriate content|considered high risk|content exists risk|unsafe or sensitive|responsible ai|usage (?:polic|guideline)|prohibited[ _]content|safety (?:system|check|filter)|(?:input|prompt) (?:was |is |has been )?blocked/i,
    FILTERED,
  ],
  [new Set([400, 401, 403, 412, 429, 500]), SPENT_WORDS, NO_QUOTA],
  [REFUSALS, /api key not valid|(?:invalid|incorrect) api key/i, KEY_REJECTED],
  [REFUSALS, /\bmodel\b.{0,120}(?:not found|not exist|is not a valid model)|not a valid model/i, MODEL_UNKNOWN],
];

/** The endpoint's answer, as far as it tells the kind of failure. */
type RefusedRequest = {
  readonly status: number;
  readonly code: string | null;
  readonly type: string | null;
  readonly message: string;
};

/** The meaning of an answer with an error: by its code, then its words, then its status. */
export function meaningOf({ status, code, type, message }: RefusedRequest): ModelErrorMeaning {
  if ((status === 413 || status === 429) && exceedsRateAlone(message)) return TOO_LONG_FOR_ACCOUNT;
  // An endpoint can send the name of a member that every object inherits.
  const known = [code, type].find((name) => name != null && Object.hasOwn(BY_CODE, name));
  const byCode = BY_CODE[known ?? ''];
  if (byCode !== undefined) return byCode;
  const byWords = BY_WORDS.find(([statuses, words]) => statuses.has(status) && words.test(message));
  return byWords?.[2] ?? BY_STATUS[status] ?? meaningOfOtherStatus(status);
}

function meaningOfOtherStatus(status: number): ModelErrorMeaning {
  return status >= 500
    ? transientError('endpoint-failing', 'The model endpoint is failing.')
    : permanentError(
        'bad-request',
        `The model endpoint refuses the request (${status}); the operator should check its settings.`,
      );
}

export function transientError(failure: ModelFailureKind, message: string): ModelErrorMeaning {
  return { kind: 'transient', failure, message };
}

export function permanentError(failure: ModelFailureKind, message: string): ModelErrorMeaning {
  return { kind: 'permanent', failure, message };
}

/** A response in which no API's answer can be read. A retry might get one. */
export class UnusableResponseError extends Error {
  readonly flaw: 'cut-off' | 'wrong-content-type' | 'unreadable-answer';
  constructor(flaw: UnusableResponseError['flaw'], message: string) {
    super(message);
    this.name = 'UnusableResponseError';
    this.flaw = flaw;
  }
}
