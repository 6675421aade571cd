export type {
  FormAnswer,
  FormQuestion,
  QuestionUser,
  SamplingQuestion,
  UrlQuestion,
} from "./answer-questions.ts";
export { answerQuestions, sessionCaller } from "./answer-questions.ts";
