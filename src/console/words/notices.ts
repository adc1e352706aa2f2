import { AGAIN, ALWAYS, NOTHING_CHANGED, type Words } from './refusal.ts';

/** Words of codes, loaded when something is refused. A code without says what the server says, and what follows from its status. */
export const NOTICES: Readonly<Record<string, Words>> = {
  ...ALWAYS,
  BROKE_OFF: {
    happened: 'The file broke off before its end.',
    means: 'Nothing was saved: a part of it would look like the whole.',
    toDo: 'Begin again. If it goes on, look at Health.',
  },
  EXPORT_UNDER_WAY: {
    happened: 'Another file is being made.',
    means: 'A project makes one at a time, so this one was not begun.',
    toDo: 'Try again when the other one is whole or was stopped. One that nobody takes ends within seconds.',
  },
  OUTCOME_UNKNOWN: {
    happened: 'The server could not tell in time whether the change happened.',
    means: 'It may have happened, whole, or not at all.',
    toDo: 'Look at the last commits before you repeat it.',
  },
  UNAUTHORIZED: {
    happened: 'That did not let you in.',
    toDo: 'Try again, or ask whoever runs the server for a new link.',
  },
  ISSUER_UNAVAILABLE: {
    happened: 'The service that signs people in does not answer.',
    means: 'Nobody was signed in.',
    toDo: 'Try again in a moment. Whoever has the server can make a link that signs in without it.',
  },
  ACCOUNT_LINKED: {
    happened: 'The account is linked otherwise already.',
    means: NOTHING_CHANGED,
    toDo: 'Sign in there with your own account, or ask an owner to reset you.',
  },
  FORBIDDEN: {
    happened: 'You may not do or see that.',
    toDo: 'Ask an owner of the project for a role that may.',
  },
  RECORD_DELETE_DISABLED: {
    happened: 'Documents of this collection are never deleted.',
    means: NOTHING_CHANGED,
    toDo: 'Change its fields instead. Whoever publishes collections can allow it: `allowRecordDelete: true`.',
  },
  CONFIRM_NEEDED: {
    happened: 'This button asks something else now than what you were shown.',
    means: NOTHING_CHANGED,
    toDo: 'Load the page again, and read what it asks.',
  },
  REVEAL_NEEDED: {
    happened: 'This shows personal values, is ordered by them, or tells of them by what comes of it.',
    means: 'Nothing is shown, and nothing was done.',
    toDo: 'Whoever may reveal them presses “Show personal values” first, and says why.',
  },
  LOOK_NOT_RECORDED: {
    happened: 'Who looks at players is recorded, and that did not work just now.',
    means: 'Nothing is shown.',
    toDo: AGAIN,
  },
  NOT_FOUND: {
    happened: 'There is nothing by that name.',
    means: 'It was never there, or it is gone.',
    toDo: 'Look whether the id is whole.',
  },
  AT_BEFORE_FIRST: {
    happened: 'The project had not begun at that moment.',
    means: 'There is nothing to show.',
    toDo: 'Choose a later moment.',
  },
  AT_AFTER_LAST: {
    happened: 'That revision is not there yet.',
    means: 'There is nothing to show.',
    toDo: 'Choose an earlier moment, or now.',
  },
  AT_IN_FUTURE: { happened: 'That time has not come.', means: 'There is nothing to show.', toDo: 'Choose an earlier moment, or now.' },
  INVALID_AT: {
    happened: 'That is no moment.',
    means: 'There is nothing to show.',
    toDo: 'Give a revision such as 1200, or a time with its zone.',
  },
  REDACTED: {
    happened: 'What was stored then was redacted.',
    means: 'It is gone for good, because somebody asked for that.',
    toDo: 'Look at another moment.',
  },
  STALE_SAVE: {
    happened: 'Somebody else changed this document since you loaded it.',
    means: NOTHING_CHANGED,
    toDo: 'Look at what it is now, and make your change to that.',
  },
  WRITE_CONFLICT: { happened: 'Others kept changing the same thing.', means: NOTHING_CHANGED, toDo: 'Try again.' },
  SCHEMA_VALIDATION_FAILED: {
    happened: 'The document would not fit the schema of its collection.',
    means: NOTHING_CHANGED,
    toDo: 'Change the value that is named below.',
  },
  UNIQUE_VIOLATION: {
    happened: 'Another document holds this value, and there may be only one.',
    means: NOTHING_CHANGED,
    toDo: 'Choose another value.',
  },
  CORRECTION_BLOCKED: {
    happened: 'Something stands in the way.',
    means: NOTHING_CHANGED,
    toDo: 'Leave out what is named below, or say that it is to be done all the same.',
  },
  ALREADY_UNDONE: { happened: 'This commit was undone before.', means: NOTHING_CHANGED, toDo: 'Look at the last commits.' },
  NOTHING_TO_UNDO: {
    happened: 'This commit did nothing that could be undone.',
    means: NOTHING_CHANGED,
    toDo: 'A publish is not undone: roll it back.',
  },
  APPEND_TOO_LARGE: {
    happened: 'This is too much for one commit.',
    means: NOTHING_CHANGED,
    toDo: 'Do it in parts, by collection.',
  },
  BEHIND: { happened: 'The server is catching up.', means: 'Players play on; what pages show is not ready yet.', toDo: AGAIN },
  BUSY: { happened: 'The server has much to do.', toDo: AGAIN },
  RATE_LIMITED: { happened: 'Too many requests came from here.', toDo: 'Wait a little.' },
  PAST_TIMEOUT: {
    happened: 'Reading that far back took too long.',
    means: 'What was found so far is kept.',
    toDo: 'Try again: it goes on from where it ended.',
  },
  STORAGE_UNAVAILABLE: {
    happened: 'The server cannot reach its database.',
    means: 'Players cannot play on until it is back.',
    toDo: 'Whoever runs the server has to look at it.',
  },
  PROMOTION_FINDINGS: {
    happened: 'Stored data does not fit what is staged.',
    means: 'Nothing was made live. Players notice nothing.',
    toDo: 'Read the findings below.',
  },
  PUBLISH_CONFLICT: {
    happened: 'Somebody else published since you looked.',
    means: NOTHING_CHANGED,
    toDo: 'Look at what is staged and live now, then decide again.',
  },
  APPROVAL_NEEDED: {
    happened: 'Nobody else has agreed to this yet.',
    means: 'Nothing goes live here without a second person. Players notice nothing.',
    toDo: 'Stage it, and ask for approval on the page Publishes.',
  },
  APPROVAL_PHASE: {
    happened: 'This was decided, or became void, while you looked at it.',
    means: NOTHING_CHANGED,
    toDo: 'Look at what is asked for now.',
  },
  PROMOTION_PHASE: {
    happened: 'Another promotion is scheduled by now, or none is any more.',
    means: NOTHING_CHANGED,
    toDo: 'Look at what is staged and scheduled now.',
  },
  APPROVER_IS_AUTHOR: {
    happened: 'You stand behind a part of this yourself.',
    means: NOTHING_CHANGED,
    toDo: 'Another person has to approve it.',
  },
  NOTHING_TO_APPROVE: {
    happened: 'There is nothing that would go live.',
    means: NOTHING_CHANGED,
    toDo: 'Stage something first.',
  },
  INTERNAL_ERROR: { happened: 'The server failed.', toDo: 'Whoever runs the server finds the request below in its log.' },
  MANAGEMENT_MUTATION_FAILED: {
    happened: 'The server failed while it changed that.',
    means: NOTHING_CHANGED,
    toDo: 'Whoever runs the server finds the request below in its log.',
  },
  QUERY_FAILED: { happened: 'The query failed.', toDo: 'Whoever wrote it finds the cause in its definition.' },
  QUERY_TIMEOUT: {
    happened: 'This leaderboard is worked out from all documents, and that took too long.',
    toDo: 'Try again later, or have it kept by an index: a leaderboard over one number is.',
  },
  BUILDING: { happened: 'This leaderboard is being built from the stored documents.', toDo: AGAIN },
  RESULT_TOO_LARGE: { happened: 'That is more than can be shown at once.', toDo: 'Ask for less of it.' },
  ECONOMY_RANGE_TOO_LARGE: {
    happened: 'These are too many days, or too many entries, to be added up at once.',
    toDo: 'Choose fewer days.',
  },
  HISTORY_MISMATCH: {
    happened: 'The log and what was read from it tell different stories.',
    means: 'The project stands still, so that nothing goes wrong; nobody can play.',
    toDo: 'Whoever runs the server restores the missing part, or runs savepoint rebuild.',
  },
  UNKNOWN_EVENT: {
    happened: 'A newer version of the server has written here.',
    means: 'The project stands still on this one.',
    toDo: 'Whoever runs the server has to run the newer version.',
  },
  INVALID_REQUEST: { happened: 'Something in what you asked for cannot be used.', toDo: 'Look at what is named below, and ask again.' },
  UNKNOWN_PARAMETER: { happened: 'The server is of another version than this page.', toDo: 'Load the page again.' },
  INVALID_PLATFORMID: { happened: 'That is no id that a player could have here.', toDo: 'Look whether it is whole.' },
  INVALID_BODY: { happened: 'Something in the change cannot be used.', means: NOTHING_CHANGED, toDo: 'Change what is named below.' },
  INVALID_OPERATION: {
    happened: 'This cannot be done with what the field holds.',
    means: NOTHING_CHANGED,
    toDo: 'Look at the field, and choose what fits it.',
  },
  INVALID_INPUT: { happened: 'What was filled in does not fit.', means: NOTHING_CHANGED, toDo: 'Change what is named below.' },
  VALIDATION_FAILED: {
    happened: 'The definition, or what was asked for, is not valid.',
    toDo: 'Change what is named below.',
  },
  SOURCE_COMPILE_FAILED: {
    happened: 'The text cannot be read as a definition.',
    means: NOTHING_CHANGED,
    toDo: 'Mend it at the place that is named below.',
  },
  STRICT_FINDINGS: { happened: 'There are findings, and this push takes none.', means: NOTHING_CHANGED, toDo: 'Mend what is named below.' },
  COMPILE_LIMIT: {
    happened: 'These definitions take too long, or too much memory, to be read.',
    means: NOTHING_CHANGED,
    toDo: 'Save them in smaller parts.',
  },
  COMPILER_FAILED: {
    happened: 'The reader of definitions failed.',
    means: NOTHING_CHANGED,
    toDo: 'Whoever runs the server finds the request below in its log.',
  },
  ADDRESS_TAKEN: { happened: 'This name is an address of the server itself.', means: NOTHING_CHANGED, toDo: 'Choose another name.' },
  COLLECTION_TOO_LARGE: {
    happened: 'The collection holds too many documents for that change.',
    means: NOTHING_CHANGED,
    toDo: 'A developer makes it in steps: what is named below says which.',
  },
  PAYLOAD_TOO_LARGE: { happened: 'That is too large to be sent at once.', means: NOTHING_CHANGED, toDo: 'Do it in parts.' },
  REQUEST_TIMEOUT: { happened: 'It did not reach the server in time.', means: NOTHING_CHANGED, toDo: 'Try again on a better connection.' },
  IDEMPOTENCY_KEY_REUSED: {
    happened: 'Something else was done from this dialog before.',
    means: 'This was not done.',
    toDo: 'Close it, look at what was done, and begin again.',
  },
  QUOTA_EXCEEDED: {
    happened: 'The project has used up what it may store.',
    means: 'Nothing was changed; players cannot save either.',
    toDo: 'Whoever runs the server can give it more.',
  },
  RATE_LIMIT: {
    happened: 'A limit of the game stands in the way.',
    means: NOTHING_CHANGED,
    toDo: 'Wait until it begins anew: the player’s page says when. An edit or a restore passes it.',
  },
  RATE_LIMIT_DAILY: {
    happened: 'A limit of the game for one day is used up.',
    means: NOTHING_CHANGED,
    toDo: 'It begins anew tomorrow. An edit or a restore passes it.',
  },
  RECORD_LIMIT_REACHED: {
    happened: 'The player has as many save slots as the game allows.',
    means: NOTHING_CHANGED,
    toDo: 'One has to be deleted first.',
  },
  ENDPOINT_ONLY: { happened: 'This collection is for the game’s endpoints alone.', toDo: 'Ask whoever wrote the game.' },
  ENDPOINT_NOT_FOUND: {
    happened: 'The game has no such endpoint here.',
    means: NOTHING_CHANGED,
    toDo: 'It may be on next, or it was removed: look under Definitions.',
  },
  ENDPOINT_DISABLED: {
    happened: 'This endpoint is switched off.',
    means: NOTHING_CHANGED,
    toDo: 'Whoever wrote the game can switch it on.',
  },
  ENDPOINT_DEPRECATED: { happened: 'This endpoint is not used any more.', means: NOTHING_CHANGED, toDo: 'Ask whoever wrote the game.' },
  ENDPOINT_EXECUTION_FAILED: {
    happened: 'The endpoint failed.',
    means: NOTHING_CHANGED,
    toDo: 'Whoever wrote the game finds it under Calls.',
  },
  LIMIT_EXCEEDED: {
    happened: 'The endpoint did more than one call may.',
    means: NOTHING_CHANGED,
    toDo: 'Whoever wrote it has to make it do less: what is named below says of what.',
  },
  SCAN_TOO_LARGE: {
    happened: 'The endpoint looks through more documents than one call may.',
    means: NOTHING_CHANGED,
    toDo: 'Whoever wrote it has to narrow it.',
  },
  APPROVALS_OFF: {
    happened: 'This project asks for no second person any more.',
    means: NOTHING_CHANGED,
    toDo: 'Load the page again: it may be made live at once.',
  },
  NOTHING_TO_ROLL_BACK: {
    happened: 'There is nothing to roll back.',
    means: 'Live stays as it is.',
    toDo: 'Nothing was published yet, or all of it was rolled back.',
  },
  PUBLISH_NOT_FOUND: {
    happened: 'No publish made live at this revision.',
    means: 'Live stays as it is.',
    toDo: 'Choose one from the history.',
  },
  ROLLBACK_TIMEOUT: {
    happened: 'Reading back to what live was took too long.',
    means: 'Live stays as it is.',
    toDo: 'Try again, or roll back to a later publish.',
  },
  TEST_NOT_FOUND: { happened: 'There is no test of that name any more.', toDo: 'Load the page again.' },
  PROJECT_DISABLED: {
    happened: 'This project is switched off.',
    means: 'Nobody plays, and nothing can be read or changed.',
    toDo: 'Whoever runs the server can switch it on.',
  },
};
