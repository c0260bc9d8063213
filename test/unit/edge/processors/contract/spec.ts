import type {
  Connector,
  DisputeAnswer,
  PaymentTrace,
  ProcessorEvent,
  ProcessorId,
  RawCallback,
} from '../../../../../src/domain/connector';
import type {
  AuthorizeAnswer,
  CaptureAnswer,
  RefundAnswer,
  VoidAnswer,
} from '../../../../../src/domain/processor-answers';

/** What the suite has to know of one processor: how it is reached, and what its answers look like on the wire. */
export interface ConnectorSpec {
  processor: ProcessorId;
  /** Its callback secret. */
  secret: string;
  /** A secret of the same form that is not its own; default: any text. */
  strangersSecret?: string;
  create(options: { baseUrl: string; timeoutMs: number }): Connector;
  /** What it writes with an error of HTTP, where a status alone says nothing. */
  errorBody?: string;
  /** What it keeps of a capture of 10.00, in minor units. */
  feeMinor: bigint;
  /** What we hold of the payment `pay_1` where the processor cannot be asked by our reference alone. */
  trace?: PaymentTrace;
  /** Answers about the payment `pay_1` of 10.00 EUR, and what each must mean. */
  paymentAnswers: WireAnswer[];
  /** Answers about the refund `ref_1` of 4.00 EUR. */
  refundAnswers: WireAnswer[];
  /** Answers about the dispute `case_1` of 10.00 EUR; absent where the processor has no dispute API. */
  disputeAnswers?: {
    title: string;
    status?: number;
    body: string;
    means: Partial<DisputeAnswer> & Pick<DisputeAnswer, 'kind'>;
  }[];
  callbacks: WireCallback[];
  /** Rightly signed, and unreadable. */
  malformedCallbacks: { title: string; receiver: string; raw: (secret: string) => RawCallback }[];
}

/** Whatever an operation may answer. */
export type Answer = AuthorizeAnswer | CaptureAnswer | VoidAnswer | RefundAnswer;

export interface WireAnswer {
  title: string;
  status?: number;
  body: string;
  means: Partial<Answer> & { kind: Answer['kind'] };
}

export interface WireCallback {
  title: string;
  receiver: string;
  raw: (secret: string) => RawCallback;
  means: Partial<ProcessorEvent>;
}
