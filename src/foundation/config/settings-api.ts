import { bytes, count, DAY, flag, HOUR, MIB, MINUTE, minorUnits, ms, oneOf, SECOND } from './setting';
import type { Group } from './values';

/** The API, and how people and programs sign in to it. */
export const api = {
  api: {
    firstAnswerMs: ms(
      'API_FIRST_ANSWER_MS',
      8 * SECOND,
      'How long a request waits for the first result of the flow that it starts, such as a payment. Then the API ' +
        'answers 202 and the flow goes on',
    ),
    paymentFlows: oneOf(
      'PAYMENT_FLOWS',
      ['all', 'waiting', 'due'],
      'all',
      'Which payments and top-ups have a flow. `all`: each, from the start. `waiting`: the API takes the first step itself, ' +
        'and a flow starts where payer, merchant or processor is waited for. `due`: also callbacks take their step ' +
        'themselves, and a flow starts where the processor is to be asked, or somebody orders something: ' +
        '[payments without a flow](operations.md#payments-without-a-flow)',
    ),
    rateLimitPerSecond: count(
      'API_RATE_LIMIT_PER_SECOND',
      2_000,
      'Requests per second that the API takes from one client. Its processes share them evenly. It answers 429 to more',
    ),
    turns: {
      atOnce: count(
        'API_AT_ONCE',
        16,
        'Requests with a token that one API process works on at a time; those that read and those that act are counted ' +
          'apart. The others wait: tenants take turns, and within a tenant its organizations. Beside others a ' +
          'tenant has a sixteenth: [fair turns](operations.md#fair-turns)',
      ),
      waitMs: ms(
        'API_TURN_WAIT_MS',
        2 * SECOND,
        'How long a request waits for its turn. One that would wait longer is refused at once, with 503, or with 429 where ' +
          'other tenants wait too',
      ),
    },
    exportsPerClient: count(
      'API_EXPORTS_PER_CLIENT',
      2,
      'Lists that one API process sends to one client as CSV at a time. It answers 429 to more',
    ),
    anonymousPerSecond: count(
      'API_ANONYMOUS_PER_SECOND',
      200,
      'Requests per second without a token, other than GET, that one API process takes from one source address, such as ' +
        'sign-ins and forms of pages. It answers 429 to more. Callbacks of processors are not counted; a third-party provider ' +
        'that shows its certificate counts in API_RATE_LIMIT_PER_SECOND',
    ),
    connections: {
      perSource: count(
        'API_CONNECTIONS_PER_SOURCE',
        1_000,
        'Connections that one listener keeps open for one source address, or one IPv6 network of 64 bits. More are cut ' +
          'off at once. Addresses of `TRUSTED_PROXIES` are not counted: they limit their own clients',
      ),
      most: count('API_CONNECTIONS', 10_000, 'Connections that one listener keeps open for all sources together'),
      headersTimeoutMs: ms(
        'API_HEADERS_TIMEOUT_MS',
        10 * SECOND,
        'How long a client may take to send the headers of a request, and for the TLS handshake',
        { min: 100 },
      ),
      requestTimeoutMs: ms(
        'API_REQUEST_TIMEOUT_MS',
        5 * MINUTE,
        'How long a client may take to send a whole request. Files of bank statements are the longest',
        { min: 100 },
      ),
      idleTimeoutMs: ms(
        'API_IDLE_TIMEOUT_MS',
        MINUTE,
        'How long nothing may move on a connection whose request is not answered. Never less than twice `API_FIRST_ANSWER_MS`',
        { min: 100 },
      ),
    },
    bodyLimitBytes: bytes('API_BODY_LIMIT_BYTES', MIB, 'The largest request body'),
    callbackBodyLimitBytes: bytes(
      'CALLBACK_BODY_LIMIT_BYTES',
      65_536,
      'The largest body of a callback. An unsigned one may have 4 KiB',
    ),
    hintsPerSecond: count(
      'CALLBACK_HINTS_PER_SECOND',
      100,
      'Unsigned callbacks per second that one API process takes from one source address. It answers 429 to more',
    ),
    mostHints: count(
      'CALLBACK_HINTS',
      10_000,
      'Unsigned callbacks that are kept at a time. The API answers 503 to more, and the processor sends them again',
    ),
    bulkBodyLimitBytes: bytes(
      'API_BULK_BODY_LIMIT_BYTES',
      10 * MIB,
      'The largest body of a request that creates many customers at once',
    ),
    documentFileLimitBytes: bytes(
      'DOCUMENT_FILE_LIMIT_BYTES',
      10 * MIB,
      "The largest file of a customer's document or of an application to go live",
    ),
    itemImageLimitBytes: bytes('ITEM_IMAGE_LIMIT_BYTES', 5 * MIB, 'The largest picture of an item of the inventory'),
    bankStatementLimitBytes: bytes(
      'BANK_STATEMENT_LIMIT_BYTES',
      512 * MIB,
      'The largest file of bank statements. It is read as it comes, so that memory does not grow with it',
    ),
    embeddedWorker: flag(
      'API_EMBEDDED_WORKER',
      true,
      'Whether the API process also runs a worker. This saves a round trip when a flow starts',
    ),
    suspenseFourEyesMinor: minorUnits(
      'SUSPENSE_FOUR_EYES_MINOR',
      100_000n,
      'A decision about an incoming bank transfer in suspense of more than this needs a second operator. With `0` ' +
        'every decision does. The number is the same in every currency',
    ),
    payoutFourEyesMinor: minorUnits(
      'PAYOUT_FOUR_EYES_MINOR',
      100_000n,
      'To mark a payout of more than this as returned takes two operators. With `0` it always does. The number is the ' +
        'same in every currency',
    ),
    interventionFourEyesMinor: minorUnits(
      'INTERVENTION_FOUR_EYES_MINOR',
      100_000n,
      'To cancel or resolve a payment, top-up or refund of more than this, or to mark late money as returned, an ' +
        'operator needs a second one. With `0` it always does. The number is the same in every currency',
    ),
    idempotencyRetentionMs: ms(
      'IDEMPOTENCY_RETENTION_MS',
      72 * HOUR,
      'How long the platform remembers an idempotency key and its answer',
    ),
    accessTokenTtlMs: ms(
      'ACCESS_TOKEN_TTL_MS',
      10_000 * SECOND,
      "Life of a client's access token, rounded down to whole seconds",
    ),
    accessTokenCacheMs: ms(
      'ACCESS_TOKEN_CACHE_MS',
      SECOND,
      'How long an API process remembers that a token is good. A revoked token works at most this long',
    ),
  },
  customerSignIn: {
    tokenTtlMs: ms('CUSTOMER_TOKEN_TTL_MS', 15 * MINUTE, "Life of a customer's access token"),
    resetTtlMs: ms(
      'PASSWORD_RESET_TTL_MS',
      30 * MINUTE,
      'Life of the link with which a customer or another person resets a password',
    ),
    web: {
      idleMs: ms(
        'CUSTOMER_WEB_IDLE_MS',
        5 * MINUTE,
        'After how long without a request a customer who signed in on a page is signed out. PSD2 allows five minutes',
      ),
      ttlMs: ms(
        'CUSTOMER_WEB_TTL_MS',
        8 * HOUR,
        'After how long a customer who signed in on a page is signed out in any case',
      ),
    },
    codes: {
      perCustomer: count(
        'CODES_PER_CUSTOMER',
        20,
        'One-time codes that one customer gets within `CODES_WINDOW_MS`. The API answers 429 to more',
      ),
      perClient: count(
        'CODES_PER_CLIENT',
        1_000,
        'One-time codes that all customers of one client together get within `CODES_WINDOW_MS`',
      ),
      windowMs: ms(
        'CODES_WINDOW_MS',
        15 * MINUTE,
        'The time over which one-time codes are counted, rounded up to whole seconds',
        { min: 1 },
      ),
    },
  },
  onboarding: {
    /** Of a user's access token. */
    tokenTtlMs: ms(
      'USER_TOKEN_TTL_MS',
      30 * MINUTE,
      'Life of the access token of a person who signs in for a merchant, a tenant or the operator',
    ),
    /** Of a user who signs in with a cookie. */
    cookie: {
      idleMs: ms(
        'USER_SESSION_IDLE_MS',
        15 * MINUTE,
        'After how long without a request a person who signed in to the console is signed out (PCI DSS 8.2.8)',
        { min: 1 },
      ),
      ttlMs: ms(
        'USER_SESSION_TTL_MS',
        12 * HOUR,
        'After how long a person who signed in to the console is signed out in any case',
        { min: 1 },
      ),
    },
    freshSignInMs: ms(
      'USER_FRESH_SIGN_IN_MS',
      10 * MINUTE,
      'How long after signing in a person can add or remove a second factor without a code',
    ),
    invitationTtlMs: ms('INVITATION_TTL_MS', 7 * DAY, "Life of the link in a merchant's invitation"),
    /** How long a new secret waits for its first reader. */
    unreadSecretTtlMs: ms(
      'UNREAD_SECRET_TTL_MS',
      30 * DAY,
      'How long a merchant can read a new secret for the first time. After that the merchant has to rotate it',
    ),
    rotationOverlap: {
      defaultMs: ms(
        'ROTATION_OVERLAP_MS',
        DAY,
        'How long the old secret works beside the new one after a rotation, when the request does not say',
      ),
      maxMs: ms('ROTATION_OVERLAP_MAX_MS', 7 * DAY, 'The longest such time that a request may ask for'),
    },
  },
} satisfies Group;
