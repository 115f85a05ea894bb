/** Replacement for a credential. */
export const REDACTED = '[redacted]';

const KEY_KIND = '[A-Z0-9 ]{0,20}PRIVATE KEY(?: BLOCK)?';

/** Up to the END line, also through quotes and diff signs; without one as far as the key's letters. */
const PRIVATE_KEY = new RegExp(
  String.raw`-----BEGIN ${KEY_KIND}-----(?=[\s\S]{0,300}?[A-Za-z0-9+/]{32})(?:(?:(?!-----)[\s\S]){0,20000}-{5,6}END ${KEY_KIND}-----|[-A-Za-z0-9+/=\s\\]{32,20000})`,
);

/** As the settings of npm, Yarn and NuGet name it. A variable in its place is none. */
const REGISTRY_LOGIN = new RegExp(
  [
    String.raw`:_(?:authToken|auth|password)[ \t]{0,3}=[ \t]{0,3}["']?(?=[A-Z0-9_+/.-]{0,60}[a-z])[A-Za-z0-9+/=_.-]{8,}`,
    String.raw`\bnpmAuthToken["']?[ \t]{0,3}[:=][ \t]{0,3}["']?(?=[A-Za-z+/_.-]{0,60}\d)[A-Za-z0-9+/=_.-]{16,}`,
    String.raw`\bClearTextPassword["'] {1,3}value=["'](?![%$])[^"'\r\n]{4,200}`,
  ].join('|'),
);

/** The digits of the account in base64, a time and a signature. */
const DISCORD_TOKEN =
  /\b(?:[MNO][DTjz][AEIMQUYcgk][w-z0-5]){5,6}[A-Za-z0-9]{0,4}(?:==)?\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}/;

/**
 * The formats of well-known credentials, by name. They also match inside JSON, where a line break is `\\n`. Each runs in
 * linear time, because the text can be hostile.
 */
const CREDENTIAL_PATTERNS: Readonly<Record<string, RegExp>> = {
  'a private key': PRIVATE_KEY,
  'a GitHub token':
    /(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))gh[a-z]_(?=[a-z._-]{0,40}[A-Z0-9])[A-Za-z0-9._-]{16,}|gh[a-z]_[A-Za-z0-9]{36}[A-Za-z0-9._-]*|github_pat_[A-Za-z0-9_]{10,}/,
  'an AWS access key': /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/,
  'an AWS secret key':
    /(?:aws|secret)(?:[_ .-]?(?:secret|access|key)){1,3}["'`]?\s{0,3}[:=]>?\s{0,3}["'`]?[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])/i,
  'an AWS session token': /\b(?:FwoGZXIvYXdz|IQoJb3JpZ2lu)[A-Za-z0-9/+=%]{80,}/,
  'a PyPI token': /\bpypi-(?=[a-z_-]{0,40}[A-Z0-9])[A-Za-z0-9_-]{16,}/,
  'a GitLab token':
    /\bgl(?:pat|dt|rt|ptt|soat|cbt|oas|ft|ffct|imt|agent)-[A-Za-z0-9_-]{20,}(?:\.[0-9a-z]{2}\.?[0-9a-z]{7,9})?/,
  'a Google key': /\bAIza[A-Za-z0-9_-]{35}|\bGOCSPX-[A-Za-z0-9_-]{20,}/,
  // The second is a token that gets others.
  'a Google token': /\bya29\.[A-Za-z0-9_-]{20,}|\b1\/\/0[A-Za-z0-9_-]{40,}/,
  'an Azure storage key': /\bAccountKey=[A-Za-z0-9+/=]{40,}/,
  'an Azure client secret': /\dQ~[A-Za-z0-9_~.-]{31,34}/,
  'a Slack token': /\bxox[a-z]-[A-Za-z0-9-]{10,}|\bxapp-\d-[A-Za-z0-9-]{10,}/,
  'a Slack webhook': /(?<=\/\/)hooks\.slack\.com\/services\/[A-Za-z0-9/]{20,}/,
  // These keys always contain digits; names such as `sk-learn-…` rarely do. Here and below the lookahead stops at the
  // start of another key, so that many starts in a row do not take quadratic time.
  'an OpenAI or Anthropic key': /\bsk-(?=(?:(?!-sk-)[A-Za-z0-9_-]){0,200}\d)[A-Za-z0-9_-]{16,}/,
  'a Hugging Face token': /\bhf_[A-Za-z0-9]{30,}/,
  'a Stripe key': /\b(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{10,}|\bwhsec_[A-Za-z0-9+/=]{20,}/,
  'an npm token': /\bnpm_[A-Za-z0-9]{36}/,
  'a RubyGems key': /\brubygems_[0-9a-f]{48}/,
  'a Docker token': /\bdckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}/,
  'a SendGrid key': /\bSG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,}/,
  'a Mailgun key': /\bkey-[0-9a-f]{32}\b/,
  'a Twilio key': /\bSK[0-9a-f]{32}\b/,
  'a Shopify token': /\bshp(?:at|ca|pa|ss)_[0-9a-f]{32}/,
  'a DigitalOcean token': /\bdo[opr]_v1_[0-9a-f]{64}/,
  'a Databricks token': /\bdapi[0-9a-f]{32}\b/,
  'a Vault token': /\bhv[sbr]\.[A-Za-z0-9_-]{20,}/,
  'an Atlassian token': /\bATATT3[A-Za-z0-9_=-]{20,}/,
  'a Linear key': /\blin_api_[A-Za-z0-9]{30,}/,
  'a Postman key': /\bPMAK-[0-9a-f]{24}-[0-9a-f]{34}/,
  'a Grafana token': /\bgl(?:sa|c)_[A-Za-z0-9_=+/]{30,}/,
  'a New Relic key': /\bNRAK-[A-Z0-9]{27}/,
  'a Sentry token': /\bsntry[su]_[A-Za-z0-9_=+/]{40,}/,
  'a Figma token': /\bfigd_[A-Za-z0-9_-]{30,}/,
  'an age key': /\bAGE-SECRET-KEY-1[0-9A-Z]{58}/,
  'a Groq key': /\bgsk_[A-Za-z0-9]{52}/,
  'an xAI key': /\bxai-[A-Za-z0-9_]{80}/,
  'a Perplexity key': /\bpplx-[A-Za-z0-9]{48}/,
  'a Replicate token': /\br8_[A-Za-z0-9]{37}/,
  'a LangSmith key': /\blsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}/,
  // Both begin with their kind in base64.
  'a Bedrock key':
    /\bABSKQmVkcm9ja0FQSUtleS[A-Za-z0-9+/=]{40,}|\bbedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t[A-Za-z0-9+/=]{20,}/,
  'a Fly.io token': /\bfm[12][ar]?_[A-Za-z0-9+/]{60,}={0,3}|\bfo1_[A-Za-z0-9_-]{43}/,
  'a PlanetScale password': /\bpscale_(?:pw|tkn|oauth)_[A-Za-z0-9_=.-]{32,64}/,
  'a Supabase token': /\bsbp_[0-9a-f]{40}/,
  'a Brevo key': /\bx(?:key|smtp)sib-[0-9a-f]{64}-[A-Za-z0-9]{16}/,
  'a Doppler token': /\bdp\.(?:ct|pt|sa|scim|audit|st(?:\.[a-z0-9_-]{2,35})?)\.[A-Za-z0-9]{40,44}/,
  'a Pulumi token': /\bpul-[0-9a-f]{40}/,
  'a Terraform token': /\batlasv1\.[A-Za-z0-9_=-]{60,}/,
  'a Heroku key': /\bHRKU-AA[A-Za-z0-9_-]{58}/,
  'a Notion token': /\bntn_\d{11}[A-Za-z0-9]{35}/,
  'an Airtable token': /\bpat[A-Za-z0-9]{14}\.[0-9a-f]{64}/,
  'a 1Password token': /\bops_eyJ[A-Za-z0-9+/]{200,}={0,3}/,
  'a Tailscale key': /\btskey-[a-z]{2,12}-[A-Za-z0-9]{8,40}-[A-Za-z0-9]{20,}/,
  'a Square token': /\bsq0(?:atp|csp)-[A-Za-z0-9_-]{22,}/,
  'a SonarQube token': /\bsq[pua]_[0-9a-f]{40}/,
  'a CircleCI token': /\bCCIPAT_[A-Za-z0-9]{22}_[0-9a-z]{40}/,
  'a Buildkite token': /\bbkua_[0-9a-z]{40}/,
  'a Dynatrace token': /\bdt0[a-z]\d{2}\.[A-Z0-9]{24}\.[A-Z0-9]{64}/,
  'an Artifactory key': /\bAKCp[A-Za-z0-9]{69}/,
  'a Discord token': DISCORD_TOKEN,
  'a Discord webhook': /(?<=\/\/)(?:[a-z]{1,10}\.)?discord(?:app)?\.com\/api\/webhooks\/\d{17,20}\/[A-Za-z0-9_-]{60,}/,
  'a login of a registry': REGISTRY_LOGIN,
  'a Telegram token': /\b\d{8,10}:AA[A-Za-z0-9_-]{33}/,
  'a JSON web token': /\beyJ(?:(?!-eyJ)[A-Za-z0-9_-]){8,8000}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}/,
  // Up to the last `@`: a name can be an e-mail address, and a password can have any sign. Placeholders are shown.
  'a password in an address':
    /(?<=\/\/)[^\s/"':]*:(?!(?:\$?\{[^\s/"'@]*\}|\$[A-Z_]+|<[^\s/"'@]*>|%s|\*+)@[^\s/"'@]*(?:[\s/"']|$))[^\s/"']+(?=@)/,
};

const ANY_CREDENTIAL = new RegExp(
  Object.values(CREDENTIAL_PATTERNS)
    .map(({ source, ignoreCase }) => (ignoreCase ? `(?i:${source})` : source))
    .join('|'),
);

const EACH_CREDENTIAL = Object.values(CREDENTIAL_PATTERNS).map(({ source, flags }) => new RegExp(source, `g${flags}`));

/** The offsets of a credential in a text. */
export type SecretRange = { readonly start: number; readonly end: number };

/**
 * Where a text has credentials, in order, each place once. Each pattern is searched alone: in one alternation a match
 * would hide those of other patterns that begin inside it.
 */
export function findSecretRanges(text: string): readonly SecretRange[] {
  // Most texts have none, and one search for all is faster than one for each.
  if (!ANY_CREDENTIAL.test(text)) return [];
  const ranges = EACH_CREDENTIAL.flatMap((pattern) =>
    Array.from(text.matchAll(pattern), ({ 0: match, index }) => ({ start: index, end: index + match.length })),
  );
  const merged: SecretRange[] = [];
  for (const range of ranges.toSorted((one, other) => one.start - other.start)) {
    const last = merged.at(-1);
    if (last === undefined || last.end < range.start) merged.push(range);
    else merged[merged.length - 1] = { start: last.start, end: Math.max(last.end, range.end) };
  }
  return merged;
}

/** The kinds of credentials in a text; usually none. */
export function findCredentials(text: string): readonly string[] {
  if (!ANY_CREDENTIAL.test(text)) return [];
  return Object.entries(CREDENTIAL_PATTERNS).flatMap(([name, pattern]) => (pattern.test(text) ? [name] : []));
}

/**
 * The text with every credential replaced, line by line, so that lines keep their numbers and endings. Everything that
 * goes to the model or to a log passes here, and the model's prose on pages.
 */
export function redact(text: string): string {
  return redactRanges(text, findSecretRanges(text));
}

/** The text with these ranges replaced line by line. */
export function redactRanges(text: string, ranges: readonly SecretRange[]): string {
  if (ranges.length === 0) return text;
  const pieces: string[] = [];
  let offset = 0;
  for (const { start, end } of ranges) {
    pieces.push(text.slice(offset, start), text.slice(start, end).replace(/[^\r\n]+/g, REDACTED));
    offset = end;
  }
  return [...pieces, text.slice(offset)].join('');
}

/** A row of nothing but base64, with both cases. */
const KEY_ROW = String.raw`^[-+ ](?=[^a-z\n]*[a-z])(?=[^A-Z\n]*[A-Z])[ \t]*[A-Za-z0-9+/]{60,76}={0,2}\r?$`;

/** The inside of a key: a hunk can begin or end there. */
const KEY_ROWS = new RegExp(`(?:${KEY_ROW}\n){2,}${KEY_ROW}`, 'gm');

/** A unified diff with its secrets replaced, also in the headings of hunks: each row keeps its sign. */
export function redactDiff(diff: string): string {
  const ranges = findSecretRanges(diff).flatMap((range) => rangesInRows(diff, range));
  return redactRanges(diff, ranges)
    .replace(KEY_ROWS, (rows) => rows.replace(/^([-+ ])[^\r\n]+/gm, `$1${REDACTED}`))
    .replace(HEADING, (_, numbers: string, text: string) => `${numbers}${redactHeading(text)}`);
}

/** The line of the file that git shows behind the numbers of a hunk. */
const HEADING = /^(@@ -[\d,]+ \+[\d,]+ @@ )([^\r\n]+)/gm;

/** Git cuts a heading after 80 bytes, and half a secret is not recognized. A row of a key can be one, too. */
function redactHeading(text: string): string {
  if (/^[A-Za-z0-9+/]{40,}={0,2}$/.test(text)) return REDACTED;
  return Buffer.byteLength(text) < CUT_HEADING_BYTES ? text : text.replace(/\S+$/, '…');
}

/** A character of several bytes at the end can be gone as a whole. */
const CUT_HEADING_BYTES = 77;

/** The parts of a range behind the signs of the rows that it reaches into. */
function rangesInRows(diff: string, { start, end }: SecretRange): readonly SecretRange[] {
  const parts: SecretRange[] = [];
  let from = start;
  for (let lineFeed = diff.indexOf('\n', from); lineFeed !== -1 && lineFeed < end; ) {
    parts.push({ start: from, end: lineFeed });
    from = Math.min(lineFeed + 2, end);
    lineFeed = diff.indexOf('\n', from);
  }
  return [...parts, { start: from, end }];
}

/** Whether a part of the text from `start` to `end` is in one of the ranges. */
export function overlapsSecret(ranges: readonly SecretRange[], start: number, end: number): boolean {
  return ranges.some((range) => range.start < end && start < range.end);
}
