/** Changed tools: what is held, adopted or withheld. */
export const pins = {
  "pins:first-sight":
    "the first form of a tool, prompt or instructions is pinned; a new tool is not a changed one",
  "pins:text":
    "a changed text is held: the approved one stays in use, the tool works, and there is one notice",
  "pins:volatile": "texts that differ only in numbers and dates are the same, and cause no notice",
  "pins:optional": "a schema that only gained optional members is adopted and noted, with the approved texts",
  "pins:required": "a new required member withholds the tool",
  "pins:hints": "annotations that claim less danger than before withhold the tool",
  "pins:invisible": "an added invisible or control character withholds the tool",
  "pins:exact-version":
    "any change withholds the tool if the row names an exact version and the server reports the same one",
  "pins:levels": "off compares nothing, warn uses the new form, quarantine withholds every change",
  "pins:prompts": "prompts and instructions are pinned in the same way",
  "pins:refusal":
    "a withheld tool is not listed, a call is refused by policy, and the message is the command to approve",
  "pins:first-call":
    "no call runs a tool that its server changed since the last run, however early it comes: by name, in a program, in a session",
  "pins:judge-laws": "a judgement is total, ignores the order of members, and never lets a danger pass",
  "pins:store":
    "pins are private files, written in one step, and a damaged one withholds the tools of its server",
  "pins:formula": "pins of another formula are made again without a notice",
  "pins:writers": "two processes that pin and approve at the same time lose nothing",
  "pins:approve": "an approval adopts exactly the form that was shown, also in a process that is running",
  "pins:ledger":
    "each decision is an event with both hashes and the difference; a changed schema retires the old entry",
  "pins:sources":
    "another program under the name of a server is pinned anew, another version of it is compared",
  "pins:same-listing":
    "a listing whose review found nothing is not compared again while its pins, its row and its version are the same",
  "pins:huge": "a huge description is pinned by its hash and does not stop anything",
} as const;
