export { answerQuestions } from "./answer-questions.ts";
export type {
  FormAnswer,
  FormQuestion,
  QuestionUser,
  SamplingQuestion,
  UrlQuestion,
} from "./question-user.ts";
export { sessionCaller } from "./session-caller.ts";
