package prompt

// builtinTemplate is the assembly for agents without a template of their own. It
// has every placeholder; an empty section vanishes with its heading.
const builtinTemplate = `## Who you are
$identity

## Soul
$soul

## Channel
$channel_guidance

## Current time
$current_time

## Session
$session_section

## Operating model
$operating_model

## The user's instructions
$user_instructions

## Memory notes
$memory_notes

## Context
$bootstrap_context

## Learning from the user
$interaction_learning

## Using your tools
$tool_guidance

## Your tools
$tool_catalog
`
