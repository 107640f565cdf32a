// Made from src-tauri/src/view and src-tauri/src/command_list.rs. Do not edit: UPDATE_BINDINGS=1 cargo test -p recto-window.

export type AnswerView = "approved" | "approvedWithRule" | "denied" | "timedOut" | "withdrawn" | "nobodyToAsk";

export type ApprovalAnswerParams = { 
/**
 * Which question.
 */
approval: string, 
/**
 * Yes or no.
 */
isApproved: boolean, };

export type ApprovalView = { 
/**
 * Its name; an answer names it and nothing else.
 */
id: string, 
/**
 * Where it is asked.
 */
conversation: string, 
/**
 * In which turn.
 */
turn: string, 
/**
 * For which call.
 */
call: string, 
/**
 * The tool's name.
 */
tool: string, 
/**
 * The path from the folder.
 */
path: string, 
/**
 * The other end of a move.
 */
to: string | null, 
/**
 * What happens to the file.
 */
operation: OperationView, 
/**
 * Its size now in bytes; `None` where there is none yet.
 */
nBytesBefore: number | null, 
/**
 * Its size then; `None` where there is none then.
 */
nBytesAfter: number | null, 
/**
 * Lines that come.
 */
nAdded: number, 
/**
 * Lines that go.
 */
nRemoved: number, 
/**
 * What a person should know first.
 */
flags: Array<FlagView>, 
/**
 * Line by line; invisible characters are spelled out.
 */
diff: Array<DiffLineView>, 
/**
 * Hash that the decision is bound to.
 */
digest: string, 
/**
 * The rule that may be made of a yes; `None` where none may be made.
 */
offer: RuleScopeView | null, 
/**
 * How many stand on one card, this one included.
 */
nTogether: number, };

export type AssistantChooseParams = { 
/**
 * In which conversation; `None` in those that begin from now on.
 */
conversation: string | null, 
/**
 * Which; `None` is the one that comes with the program.
 */
assistant: string | null, };

export type AssistantCopyParams = { 
/**
 * Of which; `None` of the one that comes with the program.
 */
assistant: string | null, 
/**
 * The copy's name.
 */
name: string, };

export type AssistantLine = { 
/**
 * Which.
 */
id: string, 
/**
 * Its name.
 */
name: string, 
/**
 * The folder of a conversation that begins with it.
 */
folder: FolderView | null, 
/**
 * The model of such a conversation.
 */
model: string | null, };

export type AssistantView = { 
/**
 * Which.
 */
id: string, 
/**
 * Its name.
 */
name: string, 
/**
 * What it is told beside the rules.
 */
instructions: string, 
/**
 * The language of its answers.
 */
replyLanguage: ReplyLanguageView, 
/**
 * The folder of a conversation that begins with it.
 */
folder: FolderView | null, 
/**
 * The model of such a conversation.
 */
model: string | null, 
/**
 * The tools that it may use.
 */
tools: Array<ToolGroupView>, 
/**
 * What it always knows, in its order.
 */
knowledge: Array<KnowledgeView>, };

export type AssistantWriteParams = { 
/**
 * Which.
 */
assistant: string, 
/**
 * Its name.
 */
name: string, 
/**
 * What it is told beside the rules.
 */
instructions: string, 
/**
 * The language of its answers.
 */
replyLanguage: ReplyLanguageView, 
/**
 * Which of the picked folders.
 */
folder: string | null, 
/**
 * Which model.
 */
model: string | null, 
/**
 * The tools that it may use.
 */
tools: Array<ToolGroupView>, };

export type AssistantsView = { 
/**
 * Those that the person made, by name.
 */
assistants: Array<AssistantLine>, 
/**
 * The one of the next conversation; `None` is the one that comes with the program.
 */
last: string | null, 
/**
 * What the one that comes with the program is told, and every other one before its own instructions.
 */
rules: string, };

export type AuditCheckView = { 
/**
 * Rows that were checked.
 */
nRows: number, 
/**
 * The first place where something is wrong; `None` if nothing is.
 */
brokenAt: number | null, 
/**
 * What is wrong there.
 */
fault: AuditFaultView | null, 
/**
 * What the seals could be checked with.
 */
seal: SealView, 
/**
 * The first row with a seal.
 */
sealedFrom: number | null, 
/**
 * Rows after that one without a seal.
 */
nUnsealed: number, 
/**
 * Rows that came after the anchor.
 */
nBehind: number, };

export type AuditEventView = { "event": "decision", 
/**
 * Whether it may run.
 */
isAllowed: boolean, 
/**
 * `rule <name>` or `person <answer>`.
 */
decider: string, 
/**
 * Why not.
 */
reason: string | null, 
/**
 * Digest of the frozen change.
 */
digest: string | null, 
/**
 * Hash of the file as it was seen.
 */
before: string | null, 
/**
 * Hash of the file as it is to become.
 */
after: string | null, } | { "event": "outcome", 
/**
 * How it ended.
 */
status: CallStatusView, 
/**
 * One line for a person.
 */
note: string, 
/**
 * Hash of the file that was written.
 */
written: string | null, };

export type AuditFaultView = "altered" | "missing" | "reordered" | "cut" | "unsealed" | "anchorBehind";

export type AuditPage = { 
/**
 * The rows.
 */
rows: Array<AuditRowView>, 
/**
 * Whether there are older ones.
 */
hasMore: boolean, };

export type AuditReadParams = { 
/**
 * Only of this conversation.
 */
conversation: string | null, 
/**
 * Only rows before this one, for the next page.
 */
before: number | null, };

export type AuditRowView = { 
/**
 * Its place in the log.
 */
position: number, 
/**
 * When.
 */
atMs: number, 
/**
 * Where.
 */
conversation: string, 
/**
 * In which turn.
 */
turn: string, 
/**
 * For which call.
 */
call: string, 
/**
 * The tool's name as the model wrote it.
 */
tool: string, 
/**
 * What it is about.
 */
target: string, 
/**
 * What is said.
 */
event: AuditEventView, };

export type AuthorView = "rule" | "model" | "person";

export type BlockDifferenceView = { 
/**
 * What became of it.
 */
kind: DifferenceView, 
/**
 * As it is in the first request.
 */
before: BlockView | null, 
/**
 * As it is in the second one.
 */
after: BlockView | null, 
/**
 * Why it left, where the second request considered it.
 */
rule: DropRuleView | null, };

export type BlockKindView = "instructions" | "tools" | "knowledge" | "language" | "profile" | "memory" | "passage" | "summary" | "history" | "question" | "list" | "step" | "thought" | "call" | "result" | "reminder" | "done" | "fact" | "pointers" | "notice" | "task";

export type BlockTextView = { 
/**
 * Its place among the blocks.
 */
position: number, 
/**
 * The whole text as it was gathered.
 */
whole: string, 
/**
 * What of it is in the request; `None` if nothing is.
 */
placed: string | null, };

export type BlockView = { 
/**
 * Its place among the blocks, from 0.
 */
position: number, 
/**
 * Its name within the request.
 */
id: string, 
/**
 * What it is.
 */
kind: BlockKindView, 
/**
 * Where it comes from, for a person.
 */
source: string, 
/**
 * Who speaks in its message.
 */
role: RoleView, 
/**
 * Number of its message.
 */
message: number, 
/**
 * Relevance to the question, where it has one.
 */
score: number | null, 
/**
 * What happened to it.
 */
verdict: VerdictView, 
/**
 * Tokens of the whole block.
 */
nTokens: number, 
/**
 * Tokens that are in the request.
 */
nPlaced: number, 
/**
 * Tokens that were left for it when it was dropped; `None` where no size decided.
 */
had: number | null, };

export type CallStatusView = "done" | "invalidArguments" | "failed" | "refused" | "repeated" | "cancelled";

export type CallView = { 
/**
 * Which.
 */
call: string, 
/**
 * The arguments as they were received.
 */
arguments: string, 
/**
 * The whole result; empty while it runs.
 */
result: string, };

export type CheckView = "nativeCalls" | "systemBesideTools" | "structuredSteps" | "consecutiveRoles" | "window" | "prefix";

export type CheckingView = { 
/**
 * Of which model.
 */
model: string, 
/**
 * Checks that are done.
 */
nDone: number, 
/**
 * Of so many.
 */
nChecks: number, };

export type CheckupView = { 
/**
 * The findings, in the order in which they were tried.
 */
findings: Array<FindingView>, 
/**
 * Tokens of the longest request that was tried.
 */
nTried: number, 
/**
 * Tokens that the window is said to have.
 */
window: number, 
/**
 * Tokens read in a second.
 */
readPerS: number | null, 
/**
 * Tokens written in a second.
 */
writtenPerS: number | null, 
/**
 * How long it took.
 */
tookMs: number, 
/**
 * When.
 */
checkedAtMs: number, };

export type ComparisonView = { 
/**
 * The blocks: those of the second request in their order, each that left where it stood.
 */
blocks: Array<BlockDifferenceView>, 
/**
 * Bytes that are the same from the beginning on.
 */
nBytesSame: number, 
/**
 * Bytes of the second request.
 */
nBytes: number, 
/**
 * The place of the block in which the common beginning ends; `None` where it ends between two, or is all.
 */
endsIn: number | null, 
/**
 * Tokens of the second request's blocks that follow the common beginning.
 */
nTokensAfter: number, 
/**
 * Tokens that the model reused for the second request, as far as it said.
 */
nReused: number | null, 
/**
 * Tokens that it read for it.
 */
nEvaluated: number | null, };

export type CompetitorKindView = "otherValue" | "nearDuplicate" | "fitsBetter";

export type CompetitorView = { 
/**
 * Why.
 */
why: CompetitorKindView, 
/**
 * What the block is.
 */
kind: BlockKindView, 
/**
 * Where it comes from.
 */
source: string, 
/**
 * The line.
 */
line: string, };

export type ConversationRow = { 
/**
 * Which.
 */
id: string, 
/**
 * What the person reads in the list.
 */
title: string, 
/**
 * When something last happened in it, in milliseconds since 1970 UTC.
 */
updatedAtMs: number, 
/**
 * How many questions were asked.
 */
nTurns: number, 
/**
 * The turn that runs now; a reloaded window watches it.
 */
runningTurn: string | null, };

export type ConversationView = { 
/**
 * Which.
 */
id: string, 
/**
 * What the person reads above it.
 */
title: string, 
/**
 * The folder it was last asked about.
 */
folder: FolderView | null, 
/**
 * The model it last spoke with.
 */
model: string | null, 
/**
 * Who works in it; `None` is the assistant that comes with the program.
 */
assistant: string | null, 
/**
 * The last turns of it.
 */
turns: Array<TurnView>, 
/**
 * The turn before the first of them; `None` if there is none.
 */
earlier: string | null, };

export type DiffKindView = "same" | "added" | "removed" | "gap";

export type DiffLineView = { 
/**
 * Whether it goes, comes or stays.
 */
kind: DiffKindView, 
/**
 * The line; for a gap, how many lines are left out.
 */
text: string, };

export type DifferenceView = "entered" | "left" | "changed" | "moved" | "same";

export type DownloadView = { 
/**
 * Of which model.
 */
id: string, 
/**
 * What the person reads.
 */
title: string, 
/**
 * Bytes that are here.
 */
nDone: number, 
/**
 * Of them from an earlier try.
 */
nBefore: number, 
/**
 * Of so many; 0 while the publisher is asked.
 */
nBytes: number, 
/**
 * Whether all is here and its hash is being checked.
 */
isChecking: boolean, 
/**
 * How long it has been going on.
 */
elapsedMs: number, };

export type DropRuleView = "empty" | "oldestHistory" | "lowestMemory" | "lowestPassage" | "profile" | "summary" | "nothingBelow" | "superseded" | "notInAnswer";

export type ElsewhereView = { "place": "conversation", 
/**
 * Its title; `None` while it has none.
 */
title: string | null, 
/**
 * As what.
 */
kind: OriginKindView, 
/**
 * How it was found there.
 */
level: LevelView, } | { "place": "file", 
/**
 * Its path below the folder.
 */
path: string, 
/**
 * The line on which it begins.
 */
line: number, 
/**
 * How it was found there.
 */
level: LevelView, };

export type EndingView = { "ending": "answered" } | { "ending": "limited", 
/**
 * Which.
 */
sentence: string, } | { "ending": "stopped" } | { "ending": "failed", 
/**
 * Why, and what one can do.
 */
sentence: string, } | { "ending": "interrupted" };

export type EnteredView = { 
/**
 * Its turn.
 */
turn: string, 
/**
 * Its question.
 */
question: string, };

export type ErrorCode = "notFound" | "busy" | "approvalGone" | "modelUnusable" | "unencrypted" | "folderUnusable" | "keychainUnusable" | "checkupStopped" | "downloadStopped" | "failed";

export type EvidenceNoteView = { 
/**
 * When it was made.
 */
madeAtMs: number, 
/**
 * Turns that are in it.
 */
nTurns: number, 
/**
 * Texts in which something was made unreadable.
 */
nRedacted: number, };

export type EvidenceParams = { 
/**
 * The turn.
 */
turn: string, 
/**
 * Whether its whole conversation is taken.
 */
isConversation: boolean, 
/**
 * Texts to make unreadable.
 */
redacted: Array<string>, 
/**
 * Whether a page is written instead of a file that Recto opens.
 */
isPage: boolean, 
/**
 * Whether the page is in Chinese.
 */
isChinese: boolean, };

export type EvidenceSavedView = { 
/**
 * The file.
 */
path: string, 
/**
 * Turns that are in it.
 */
nTurns: number, 
/**
 * Texts in which something was made unreadable.
 */
nRedacted: number, };

export type ExactnessView = { "known": "exact" } | { "known": "estimate" } | { "known": "counted" } | { "known": "calibrated", 
/**
 * How far it may be off, in percent.
 */
percent: number, };

export type FindingView = { 
/**
 * What was tried.
 */
check: CheckView, 
/**
 * What came of it.
 */
mark: MarkView, 
/**
 * What the model replied, or why it did not.
 */
said: string, };

export type FinishView = "stop" | "toolCalls" | "length" | "filtered" | "unmarked" | "stopped";

export type FlagView = "executesLater" | "hiddenCharacters" | "otherNames" | "replacesMost" | "large" | "notShown";

export type FolderView = { 
/**
 * Which.
 */
id: string, 
/**
 * Its last part, for a button.
 */
name: string, 
/**
 * The whole path, to be read only.
 */
path: string, };

export type FoundServerView = { 
/**
 * Its address.
 */
address: string, 
/**
 * The names of its models.
 */
models: Array<string>, };

export type IpcError = { 
/**
 * What the window does about it.
 */
code: ErrorCode, 
/**
 * Values for the sentence.
 */
params: { [key in string]: string }, 
/**
 * What happened, in the words of the layer that failed; empty if the code says it all.
 */
detail: string, };

export type KeyPlaceView = "environment" | "keychain" | "session";

export type KeyView = { 
/**
 * Where it is.
 */
place: KeyPlaceView, 
/**
 * Its last four characters, where they are known and may be shown.
 */
lastFour: string | null, };

export type KeyWriteParams = { 
/**
 * The server that it is for.
 */
address: string, 
/**
 * The key.
 */
key: string, 
/**
 * Whether it is forgotten when the program is closed.
 */
isForSession: boolean, };

export type KnowledgeView = { 
/**
 * Which.
 */
id: string, 
/**
 * Its name.
 */
title: string, 
/**
 * The text; empty where it is a file.
 */
text: string, 
/**
 * The file's whole path, to be read only; `None` where it is a text.
 */
path: string | null, 
/**
 * Whether it is given.
 */
isOn: boolean, 
/**
 * How long it is now.
 */
nCharacters: number, 
/**
 * Why the file cannot be read; `None` where it can.
 */
trouble: string | null, };

export type KnowledgeWriteParams = { 
/**
 * Which; `None` adds one.
 */
knowledge: string | null, 
/**
 * Whose.
 */
assistant: string, 
/**
 * Its name.
 */
title: string, 
/**
 * The text; not used for a file.
 */
text: string, 
/**
 * Whether it is given.
 */
isOn: boolean, };

export type LanguageView = "system" | "en" | "zh";

export type LevelView = "exact" | "unescaped" | "normalised" | "caseOnly" | "near" | "value";

export type LibraryProblemView = { 
/**
 * Its path.
 */
path: string, 
/**
 * Why.
 */
reason: string, };

export type LibraryProgressView = { 
/**
 * Files that are done with.
 */
nDone: number, 
/**
 * Of so many.
 */
nFiles: number, 
/**
 * Their bytes.
 */
nBytesDone: number, 
/**
 * Of so many.
 */
nBytes: number, 
/**
 * How long it has been going on.
 */
elapsedMs: number, };

export type LibraryRootView = { 
/**
 * Which.
 */
id: number, 
/**
 * The last part of its path.
 */
name: string, 
/**
 * Its path.
 */
path: string, 
/**
 * Documents that can be searched.
 */
nDocuments: number, 
/**
 * Documents that could not be read.
 */
nUnread: number, 
/**
 * Their passages.
 */
nPassages: number, 
/**
 * What they come to.
 */
nBytes: number, 
/**
 * When it was read whole the last time; `None` if it never was.
 */
readAtMs: number | null, 
/**
 * Why it cannot be read now.
 */
reason: string | null, };

export type LibraryView = { 
/**
 * What was added.
 */
roots: Array<LibraryRootView>, 
/**
 * Documents that could not be read; of very many, the first.
 */
problems: Array<LibraryProblemView>, 
/**
 * Whether questions are given passages.
 */
isOn: boolean, 
/**
 * How far reading has come; `None` if nothing is being read.
 */
progress: LibraryProgressView | null, };

export type MarkView = "works" | "fails" | "unknown";

export type MemoriesView = { 
/**
 * The sentences, pinned ones first, then the newest.
 */
memories: Array<MemoryView>, 
/**
 * What the person said about themselves.
 */
profile: string, 
/**
 * Whether sentences may be remembered without a question.
 */
mayRemember: boolean, };

export type MemoryPinParams = { 
/**
 * Which.
 */
memory: string, 
/**
 * Whether it is.
 */
isPinned: boolean, };

export type MemorySourceView = { 
/**
 * Which.
 */
conversation: string, 
/**
 * Its title; `None` if it was deleted.
 */
title: string | null, };

export type MemoryView = { 
/**
 * Which.
 */
id: string, 
/**
 * The sentence.
 */
text: string, 
/**
 * Whether it is given to every request.
 */
isPinned: boolean, 
/**
 * When its words were last changed.
 */
updatedAtMs: number, 
/**
 * When it was last given to a request.
 */
lastUsedAtMs: number | null, 
/**
 * Where it comes from; `None` where the person typed it.
 */
source: MemorySourceView | null, };

export type MemoryWriteParams = { 
/**
 * Which.
 */
memory: string, 
/**
 * The words.
 */
text: string, };

export type ModelCardView = { 
/**
 * Which.
 */
id: string, 
/**
 * What the person reads.
 */
title: string, 
/**
 * Where it runs.
 */
kind: ModelKindView, 
/**
 * The file, or the server's address.
 */
location: string, 
/**
 * Size of the file; `None` for a server.
 */
nBytes: number | null, 
/**
 * Bytes of memory that it takes when it is loaded; `None` where that is not known.
 */
memory: number | null, 
/**
 * Its licence; `None` where nobody says it.
 */
licence: string | null, 
/**
 * Tokens that a request and its reply share; `None` where that is not known before it is loaded.
 */
window: number | null, 
/**
 * Whether it is in memory.
 */
isLoaded: boolean, 
/**
 * Whether new conversations take it.
 */
isChosen: boolean, 
/**
 * Its last check-up.
 */
checkup: CheckupView | null, };

export type ModelKindView = "embedded" | "server";

export type ModelServerView = { 
/**
 * Its address.
 */
address: string, 
/**
 * Models that it offers.
 */
nModels: number, 
/**
 * What may be shown of the key for it; `None` if there is none.
 */
key: KeyView | null, };

export type ModelView = { 
/**
 * Which.
 */
id: string, 
/**
 * What the person reads.
 */
title: string, 
/**
 * Where it runs.
 */
kind: ModelKindView, 
/**
 * The file, or the server's address.
 */
location: string, 
/**
 * Size of the file; `None` for a server.
 */
nBytes: number | null, 
/**
 * Whether it is in memory. One that is not is loaded by the first question to it.
 */
isLoaded: boolean, 
/**
 * Whether new conversations take it.
 */
isChosen: boolean, };

export type ModelsPageView = { 
/**
 * The models.
 */
models: Array<ModelCardView>, 
/**
 * The servers that were named.
 */
servers: Array<ModelServerView>, 
/**
 * Models that can be downloaded and are not here.
 */
offered: Array<OfferedFileView>, 
/**
 * Downloads that run.
 */
downloads: Array<DownloadView>, 
/**
 * The check-up that runs; `None` if none does.
 */
checking: CheckingView | null, 
/**
 * The folder of the model files.
 */
folder: string, 
/**
 * Bytes of memory that are free now; `None` where the system does not say.
 */
freeMemory: number | null, };

export type ModelsView = { 
/**
 * The models.
 */
models: Array<ModelView>, 
/**
 * The folder of the model files.
 */
folder: string, };

export type OfferedFileView = { 
/**
 * Which.
 */
id: string, 
/**
 * What the person reads.
 */
title: string, 
/**
 * The length of its file; `None` until the publisher was asked for it.
 */
nBytes: number | null, 
/**
 * Its licence.
 */
licence: string, 
/**
 * Who publishes it.
 */
publisher: string, 
/**
 * Memory that it needs, where that was measured.
 */
memoryMib: number | null, 
/**
 * Tokens that it was trained to read.
 */
contextLength: number, };

export type OperationView = "create" | "overwrite" | "edit" | "append" | "delete" | "move" | "makeDir" | "remember" | "forget";

export type OriginKindView = "question" | "answer" | "result" | "memory" | "knowledge" | "profile" | "passage";

export type OriginView = { 
/**
 * As what.
 */
kind: OriginKindView, 
/**
 * In which turn; `None` for what is no part of a conversation.
 */
turn: string | null, 
/**
 * That turn's place in the conversation, from 1.
 */
turnNumber: number | null, 
/**
 * Which result, memory or passage.
 */
source: string, 
/**
 * How it was found there.
 */
level: LevelView, };

export type OutcomeView = { "outcome": "whole", 
/**
 * How it was found.
 */
level: LevelView, 
/**
 * The block's number among those in the request.
 */
number: number, 
/**
 * Of how many.
 */
of: number, 
/**
 * Share of the block in the request, in percent.
 */
percent: number, 
/**
 * Tokens between it and the question.
 */
nTokensToQuestion: number | null, } | { "outcome": "cut", 
/**
 * Whether its beginning is there.
 */
hasBeginning: boolean, 
/**
 * Lines that are there.
 */
keptLines: number, 
/**
 * Lines that there are.
 */
ofLines: number, 
/**
 * The line on which it begins.
 */
line: number, } | { "outcome": "stubbed" } | { "outcome": "inSummary", 
/**
 * How it was found there.
 */
level: LevelView, } | { "outcome": "dropped", 
/**
 * By which rule.
 */
rule: DropRuleView, 
/**
 * The how many-th to go; 0 for one that no size decided.
 */
order: number, } | { "outcome": "superseded" } | { "outcome": "folded", 
/**
 * With which version.
 */
version: number, } | { "outcome": "notChosen", 
/**
 * What was, the best first.
 */
chosen: Array<ScoredView>, } | { "outcome": "earlierResult" } | { "outcome": "notThere" };

export type PassageView = { 
/**
 * Its name, `p12`.
 */
id: string, 
/**
 * The document's path from its root down.
 */
document: string, 
/**
 * The root's path.
 */
root: string, 
/**
 * The headings that it stands under, the outermost first.
 */
headings: Array<string>, 
/**
 * Where in the document it stands.
 */
place: PlaceView, 
/**
 * How well it fits, between 0 and 1.
 */
score: number, 
/**
 * Its text.
 */
text: string, };

export type PieceView = { 
/**
 * The place of its block; `None` for what the interface or the template adds.
 */
block: number | null, 
/**
 * The bytes.
 */
text: string, };

export type PlaceView = { 
/**
 * What is counted.
 */
unit: UnitView, 
/**
 * The first.
 */
first: number, 
/**
 * The last.
 */
last: number, 
/**
 * The name of the sheet; empty elsewhere.
 */
sheet: string, };

export type PolicyView = "ask" | "never";

export type PreviewParams = { 
/**
 * Where; `None` for a new conversation.
 */
conversation: string | null, 
/**
 * The question as far as it is typed.
 */
question: string, 
/**
 * The folder, by its name for the window.
 */
folder: string | null, 
/**
 * Who works; `None` is the assistant that comes with the program.
 */
assistant: string | null, 
/**
 * The model; `None` takes the conversation's.
 */
model: string | null, 
/**
 * Another window than the model's, in tokens.
 */
window: number | null, };

export type PreviewView = { 
/**
 * The model's name.
 */
model: string, 
/**
 * How its token counts are known.
 */
exactness: ExactnessView, 
/**
 * Tokens of all that would be sent.
 */
nTokens: number, 
/**
 * Tokens kept free for the reply.
 */
reserve: number, 
/**
 * Tokens that the request and the reply would share.
 */
window: number, 
/**
 * The window that the model has.
 */
modelWindow: number, 
/**
 * Exchanges that would enter the summary before it.
 */
nFolded: number, 
/**
 * Why nothing could be sent; `None` if something could.
 */
failure: string | null, 
/**
 * Its blocks in order, those left out included.
 */
blocks: Array<BlockView>, 
/**
 * Their texts.
 */
texts: Array<BlockTextView>, };

export type PurposeView = "work" | "answer" | "summary";

export type ReplacedView = { 
/**
 * Its number.
 */
id: number, 
/**
 * In which conversation.
 */
conversation: string, 
/**
 * The folder.
 */
folder: string, 
/**
 * The file, as a path from the folder.
 */
path: string, 
/**
 * The other end of a move.
 */
to: string | null, 
/**
 * What was done to it.
 */
operation: OperationView, 
/**
 * When it was done.
 */
atMs: number, };

export type ReplyLanguageView = "auto" | "en" | "zh";

export type RequestBytesView = { 
/**
 * The bytes, in stretches that say where they come from; put together they are the request.
 */
pieces: Array<PieceView>, 
/**
 * How many.
 */
nBytes: number, 
/**
 * The hash that was kept when it left. The bytes were rebuilt from the record and have it; others are not given out.
 */
hash: string, 
/**
 * The hash of those that left, where these differ because a text in them was made unreadable.
 */
originalHash: string | null, 
/**
 * The command that sends the request again, without a key; `None` for a model inside the program.
 */
curl: string | null, 
/**
 * What came back: as it came from a server, or what a model inside the program wrote.
 */
reply: string, 
/**
 * Whether that is all of it.
 */
isReplyWhole: boolean, 
/**
 * Why earlier attempts to send it came to nothing, in order.
 */
failedAttempts: Array<string>, 
/**
 * Whether the tokens that it became are known.
 */
hasTokens: boolean, };

export type RequestView = { 
/**
 * Which.
 */
id: string, 
/**
 * In which turn.
 */
turn: string, 
/**
 * Its number in the turn, from 1.
 */
number: number, 
/**
 * What it was for.
 */
purpose: PurposeView, 
/**
 * The model's name as it was.
 */
model: string, 
/**
 * How its token counts are known.
 */
exactness: ExactnessView, 
/**
 * Its tokens.
 */
nTokens: number, 
/**
 * Tokens kept free for the reply.
 */
reserve: number, 
/**
 * Tokens that the request and the reply share.
 */
window: number, 
/**
 * Rounds without a written list before it.
 */
nStaleRounds: number, 
/**
 * Whether it carried the reminder.
 */
hasReminder: boolean, 
/**
 * When it left.
 */
atMs: number, 
/**
 * What the server says that it read, against what was sent.
 */
witness: WitnessView, 
/**
 * Why its reply ended; `None` while there is none.
 */
finish: FinishView | null, 
/**
 * What was counted; `None` while there is no reply.
 */
usage: UsageView | null, 
/**
 * Its blocks in order, dropped ones included.
 */
blocks: Array<BlockView>, };

export type RoleView = "system" | "user" | "assistant" | "tool";

export type RuleEndView = "stopped" | "usedUp" | "failed" | "otherFolder";

export type RuleScopeView = { 
/**
 * In which way files are written.
 */
writing: WritingView, 
/**
 * The folder, as it was called when the rule was made; `.` is the workspace itself.
 */
folder: string, 
/**
 * What the files' names end in, without the dot.
 */
ending: string, };

export type RuleView = { 
/**
 * Its name; the audit log says it at each use.
 */
id: string, 
/**
 * Where it holds.
 */
conversation: string, 
/**
 * What it covers.
 */
scope: RuleScopeView, 
/**
 * Writes that it covered.
 */
nFiles: number, 
/**
 * At most.
 */
maxFiles: number, 
/**
 * Bytes that these wrote.
 */
nBytes: number, 
/**
 * The paths of these writes, in order.
 */
matched: Array<string>, 
/**
 * Why it holds no more; `None` while it does.
 */
ended: RuleEndView | null, };

export type ScoredView = { 
/**
 * Where it comes from.
 */
source: string, 
/**
 * Its score.
 */
score: number, };

export type SealView = "sealed" | "notYet" | "noKeychain" | "keyGone";

export type SettingsView = { 
/**
 * Light or dark.
 */
theme: ThemeView, 
/**
 * The language of the window.
 */
language: LanguageView, 
/**
 * Width of the list in pixels; 0 means folded.
 */
listWidth: number | null, 
/**
 * Width of the panel in pixels; 0 means folded.
 */
panelWidth: number | null, 
/**
 * Folders that were picked, the newest first. Kept by the shell; what the window sends of it is not used.
 */
folders: Array<FolderView>, };

export type ShortenedView = { 
/**
 * Exchanges that were folded before its first request.
 */
nFolded: number, 
/**
 * The version of the summary with them; 0 where none were.
 */
version: number, 
/**
 * Tokens of the question that the model is given; `None` where it is given all.
 */
nQuestion: number | null, 
/**
 * Tokens of the question; `None` where it is given whole.
 */
ofQuestion: number | null, 
/**
 * Tokens that a server read of a request, where that is less than was sent; `None` where it read all, or nobody can tell.
 */
nRead: number | null, 
/**
 * Tokens that were sent with that request.
 */
ofRead: number | null, };

export type StepView = { 
/**
 * Which.
 */
call: string, 
/**
 * The tool's name as the model wrote it.
 */
tool: string, 
/**
 * What it is about: a path, a pattern.
 */
target: string, 
/**
 * How it ended; `None` while it runs.
 */
status: CallStatusView | null, 
/**
 * One line for a person.
 */
note: string, };

export type SummaryView = { 
/**
 * From 1.
 */
version: number, 
/**
 * Who wrote it.
 */
author: AuthorView, 
/**
 * Exchanges that it stands for in all.
 */
nExchanges: number, 
/**
 * What was said, in short.
 */
prose: string, 
/**
 * Numbers, names and paths that are kept word for word.
 */
marks: Array<string>, 
/**
 * What the user said not to do, word for word.
 */
forbidden: Array<string>, 
/**
 * The exchanges that entered with this version.
 */
entered: Array<EnteredView>, 
/**
 * When it was made.
 */
atMs: number, };

export type ThemeView = "system" | "light" | "dark";

export type TodoChangeView = { "change": "added", 
/**
 * Its text.
 */
content: string, } | { "change": "removed", 
/**
 * Its text.
 */
content: string, 
/**
 * Whether it was done; if not, something may have been forgotten.
 */
wasDone: boolean, } | { "change": "reworded", 
/**
 * The earlier text.
 */
from: string, 
/**
 * The text now.
 */
to: string, } | { "change": "started", 
/**
 * Its text.
 */
content: string, } | { "change": "finished", 
/**
 * Its text.
 */
content: string, } | { "change": "reopened", 
/**
 * Its text.
 */
content: string, } | { "change": "putBack", 
/**
 * Its text.
 */
content: string, };

export type TodoItemView = { 
/**
 * What is to be done.
 */
content: string, 
/**
 * How far it is.
 */
status: TodoStatusView, };

export type TodoSnapshotView = { 
/**
 * In which turn.
 */
turn: string, 
/**
 * When.
 */
atMs: number, 
/**
 * The whole list.
 */
todos: Array<TodoItemView>, 
/**
 * What it changed against the one before.
 */
changes: Array<TodoChangeView>, 
/**
 * The exact bytes that the model was given back.
 */
snapshot: string, };

export type TodoStatusView = "pending" | "inProgress" | "done";

export type TokenView = { 
/**
 * Its number in the model's vocabulary.
 */
id: number, 
/**
 * What it stands for; bytes that are no text by themselves are written as `\xNN`.
 */
text: string, 
/**
 * The block that it stands in; `None` for what the template adds.
 */
block: number | null, };

export type ToolGroupView = "reading" | "writing" | "memories";

export type TraceView = { 
/**
 * The text.
 */
text: string, 
/**
 * Where it entered, the earliest first.
 */
origins: Array<OriginView>, 
/**
 * What became of it in each request, the latest turn first.
 */
requests: Array<TracedView>, 
/**
 * What competed with it in the request behind the answer.
 */
competitors: Array<CompetitorView>, 
/**
 * Earlier turns since it entered that are not told of.
 */
nTurnsBefore: number, 
/**
 * Where it stands instead; empty where it entered the conversation.
 */
elsewhere: Array<ElsewhereView>, };

export type TracedView = { 
/**
 * The turn.
 */
turn: string, 
/**
 * Its place in the conversation, from 1.
 */
turnNumber: number, 
/**
 * The request.
 */
request: string, 
/**
 * Its number in the turn.
 */
number: number, 
/**
 * What it was for.
 */
purpose: PurposeView, 
/**
 * What became of the text.
 */
outcome: OutcomeView, 
/**
 * The block that the outcome is about, by its place; `None` where it is about none.
 */
block: number | null, 
/**
 * What that block is.
 */
kind: BlockKindView | null, 
/**
 * Where it comes from.
 */
source: string, 
/**
 * What it needed, where it was dropped for its size.
 */
needed: number | null, 
/**
 * What was left for it.
 */
had: number | null, };

export type TurnEventView = { "event": "loading", 
/**
 * How much of it.
 */
percent: number, } | { "event": "request", 
/**
 * Which.
 */
id: string, 
/**
 * Its number in the turn, from 1.
 */
number: number, 
/**
 * What it is for.
 */
purpose: PurposeView, 
/**
 * Its tokens.
 */
nTokens: number, 
/**
 * The window.
 */
window: number, 
/**
 * Rounds without a written list.
 */
nStaleRounds: number, 
/**
 * Whether it carries the reminder.
 */
hasReminder: boolean, } | { "event": "reading", 
/**
 * Tokens read so far.
 */
nRead: number, 
/**
 * Of all.
 */
of: number, } | { "event": "retry", 
/**
 * From 2.
 */
attempt: number, 
/**
 * At most.
 */
of: number, 
/**
 * Why.
 */
reason: string, } | { "event": "draft", 
/**
 * What arrived.
 */
text: string, } | { "event": "draftDropped" } | { "event": "answer", 
/**
 * What arrived.
 */
text: string, } | { "event": "reasoning", 
/**
 * What arrived.
 */
text: string, } | { "event": "replied", 
/**
 * For which request.
 */
id: string, 
/**
 * Why it ended.
 */
finish: FinishView, 
/**
 * What was counted.
 */
usage: UsageView, } | { "event": "call", 
/**
 * Which.
 */
call: string, 
/**
 * The tool's name.
 */
tool: string, } | { "event": "permission", 
/**
 * Which call.
 */
call: string, 
/**
 * What it is about: a path, a pattern.
 */
target: string, 
/**
 * Whether it may run.
 */
isAllowed: boolean, 
/**
 * `rule <name>` or `person <answer>`.
 */
decider: string, } | { "event": "asked", 
/**
 * What.
 */
approval: ApprovalView, } | { "event": "answered", 
/**
 * Which question.
 */
approval: string, 
/**
 * How.
 */
answer: AnswerView, } | { "event": "called", 
/**
 * Which.
 */
call: string, 
/**
 * The tool's name.
 */
tool: string, 
/**
 * What it is about.
 */
target: string, 
/**
 * How it ended.
 */
status: CallStatusView, 
/**
 * One line for a person.
 */
note: string, } | { "event": "todo", 
/**
 * The list now.
 */
todos: Array<TodoItemView>, 
/**
 * What that changed.
 */
changes: Array<TodoChangeView>, } | { "event": "folded", 
/**
 * How many.
 */
nExchanges: number, 
/**
 * The version of the summary with them.
 */
version: number, } | { "event": "questionCut", 
/**
 * Tokens of it that are in the request.
 */
nTokens: number, 
/**
 * Of all.
 */
of: number, } | { "event": "composing", 
/**
 * From this many facts.
 */
nFacts: number, } | { "event": "ended", 
/**
 * How.
 */
ending: EndingView, 
/**
 * The answer; empty if there is none.
 */
answer: string, };

export type TurnEvents = { 
/**
 * Which turn.
 */
turn: string, 
/**
 * In order.
 */
events: Array<TurnEventView>, };

export type TurnPageView = { 
/**
 * The turns.
 */
turns: Array<TurnView>, 
/**
 * The turn before the first of them; `None` if there is none.
 */
earlier: string | null, };

export type TurnStartParams = { 
/**
 * Where it is asked.
 */
conversation: string, 
/**
 * The question.
 */
question: string, 
/**
 * Which model; `None` takes the one set as usual.
 */
model: string | null, 
/**
 * Which of the picked folders; `None` means that no file is read or written.
 */
folder: string | null, 
/**
 * Who works; `None` is the assistant that comes with the program.
 */
assistant: string | null, 
/**
 * What the person said about writes in general.
 */
policy: PolicyView, };

export type TurnView = { 
/**
 * Which.
 */
id: string, 
/**
 * The question, byte for byte.
 */
question: string, 
/**
 * When it was asked.
 */
askedAtMs: number, 
/**
 * When it ended; `None` while it runs or if the program died.
 */
endedAtMs: number | null, 
/**
 * How it ended; `None` while it runs.
 */
ending: EndingView | null, 
/**
 * The answer, or what there is of it.
 */
answer: string, 
/**
 * The calls in their order.
 */
steps: Array<StepView>, 
/**
 * Requests that were sent.
 */
nRequests: number, 
/**
 * What its requests lack of the conversation.
 */
shortened: ShortenedView, };

export type UnitView = "line" | "paragraph" | "page" | "row" | "unnumbered";

export type UsageView = { 
/**
 * Tokens read, reused ones included.
 */
nRead: number | null, 
/**
 * Tokens reused from an earlier request.
 */
nReused: number | null, 
/**
 * Tokens evaluated.
 */
nEvaluated: number | null, 
/**
 * Tokens of the reply.
 */
nWritten: number | null, 
/**
 * What it cost, in dollars, as the server says.
 */
cost: number | null, 
/**
 * To the first token.
 */
firstTokenMs: number | null, 
/**
 * To the end.
 */
totalMs: number | null, };

export type VerdictView = { "verdict": "kept" } | { "verdict": "cut", 
/**
 * Lines that are in.
 */
keptLines: number, 
/**
 * Lines that it has.
 */
ofLines: number, } | { "verdict": "dropped", 
/**
 * By which rule.
 */
rule: DropRuleView, 
/**
 * The how many-th to be dropped, from 1.
 */
order: number, };

export type WhereParams = { 
/**
 * Up to which turn.
 */
turn: string, 
/**
 * The text.
 */
text: string, };

export type WitnessView = "agrees" | "readLess" | "cannotTell";

export type WritingView = "whole" | "passage";

/** Every command with what it takes and gives. */
export interface Commands {
  conversation_list: (args: {  }) => Array<ConversationRow>;
  conversation_read: (args: { conversation: string }) => ConversationView;
  conversation_earlier: (args: { turn: string }) => TurnPageView;
  conversation_create: (args: {  }) => string;
  conversation_rename: (args: { conversation: string; title: string }) => void;
  conversation_delete: (args: { conversation: string }) => void;
  folder_pick: (args: {  }) => FolderView | null;
  model_list: (args: {  }) => ModelsView;
  model_choose: (args: { model: string }) => void;
  server_add: (args: { address: string }) => string;
  models_watch: (args: { channel: (models: ModelsPageView) => void }) => void;
  server_allow_unencrypted: (args: { address: string }) => void;
  server_test: (args: { address: string }) => FoundServerView;
  server_find: (args: {  }) => Array<FoundServerView>;
  server_remove: (args: { address: string }) => void;
  key_write: (args: { params: KeyWriteParams }) => void;
  key_remove: (args: { address: string }) => void;
  checkup_start: (args: { model: string }) => void;
  checkup_stop: (args: {  }) => void;
  offered_sizes: (args: {  }) => void;
  offered_get: (args: { offered: string }) => void;
  offered_stop: (args: { offered: string }) => void;
  model_add_file: (args: {  }) => void;
  model_remove_file: (args: { model: string }) => void;
  assistant_list: (args: {  }) => AssistantsView;
  assistant_read: (args: { assistant: string }) => AssistantView;
  assistant_create: (args: { name: string }) => string;
  assistant_copy: (args: { params: AssistantCopyParams }) => string;
  assistant_write: (args: { params: AssistantWriteParams }) => void;
  assistant_delete: (args: { assistant: string }) => void;
  assistant_choose: (args: { params: AssistantChooseParams }) => void;
  knowledge_write: (args: { params: KnowledgeWriteParams }) => string;
  knowledge_pick: (args: { assistant: string }) => string | null;
  knowledge_raise: (args: { knowledge: string }) => void;
  knowledge_delete: (args: { knowledge: string }) => void;
  memory_list: (args: {  }) => MemoriesView;
  memory_add: (args: { text: string }) => string;
  memory_write: (args: { params: MemoryWriteParams }) => void;
  memory_pin: (args: { params: MemoryPinParams }) => void;
  memory_forget: (args: { memory: string }) => void;
  memory_restore: (args: { memory: string }) => void;
  memory_always: (args: { allowed: boolean }) => void;
  profile_write: (args: { text: string }) => void;
  turn_start: (args: { params: TurnStartParams }) => string;
  turn_watch: (args: { turn: string; channel: (events: TurnEvents) => void }) => void;
  turn_stop: (args: { turn: string }) => void;
  turn_calls: (args: { turn: string }) => Array<CallView>;
  turn_requests: (args: { turn: string }) => Array<RequestView>;
  request_texts: (args: { request: string }) => Array<BlockTextView>;
  request_bytes: (args: { request: string }) => RequestBytesView;
  request_tokens: (args: { request: string }) => Array<TokenView>;
  request_compare: (args: { first: string; second: string }) => ComparisonView;
  where_read: (args: { params: WhereParams }) => TraceView;
  evidence_save: (args: { params: EvidenceParams }) => EvidenceSavedView | null;
  evidence_open: (args: {  }) => boolean;
  evidence_note: (args: {  }) => EvidenceNoteView | null;
  preview_read: (args: { params: PreviewParams }) => PreviewView;
  summary_read: (args: { conversation: string }) => Array<SummaryView>;
  summary_edit: (args: { conversation: string; prose: string }) => void;
  approval_answer: (args: { params: ApprovalAnswerParams }) => void;
  rule_list: (args: {  }) => Array<RuleView>;
  rule_make: (args: { approval: string }) => void;
  rule_stop: (args: { rule: string }) => void;
  todo_list: (args: { conversation: string }) => Array<TodoSnapshotView>;
  audit_read: (args: { params: AuditReadParams }) => AuditPage;
  audit_verify: (args: {  }) => AuditCheckView;
  undo_list: (args: {  }) => Array<ReplacedView>;
  undo_write: (args: { id: number }) => void;
  library_watch: (args: { channel: (library: LibraryView) => void }) => void;
  library_add_folder: (args: {  }) => void;
  library_add_files: (args: {  }) => void;
  library_remove: (args: { root: number }) => void;
  library_switch: (args: { on: boolean }) => void;
  library_sync: (args: {  }) => void;
  library_stop: (args: {  }) => void;
  library_search: (args: { query: string }) => Array<PassageView>;
  settings_read: (args: {  }) => SettingsView;
  settings_write: (args: { settings: SettingsView }) => void;
}
